// What was measured, for people: the word, the end of a link, and the value with its unit. A name has these in it, as in
// `light_a_dbm`. Pure. Read next: Measure.svelte.

const UNITS: Record<string, string> = { celsius: '°C', db: 'dB', dbm: 'dBm', km: 'km', ma: 'mA', mbps: 'Mbit/s', ms: 'ms', percent: '%', s: 's', volts: 'V' };
/** The modes of a cell by their numbers, as `domain::telemetry` has them. */
export const MODES = ['off', 'symbol-shutdown', 'carrier-shutdown', 'deep-sleep'];

export interface Reading {
  /** What is measured, which has a word. */
  what: string;
  /** Of a link: at which of its ends. */
  end: string;
  unit: string;
  /** What is measured as 1 or 0, and means yes or no. */
  isYesNo: boolean;
}

export function reading(name: string): Reading {
  const parts = name.split('_');
  const unit = (parts.length > 1 && UNITS[parts.at(-1)!]) || '';
  if (unit) parts.pop();
  const end = parts.length > 1 && /^[ab]$/.test(parts.at(-1)!) ? parts.pop()!.toUpperCase() : '';
  const what = parts.join('_');
  return { what, end, unit, isYesNo: /^(reachable|adjacent|carrier)$|_(answers|on|up)$/.test(what) };
}
