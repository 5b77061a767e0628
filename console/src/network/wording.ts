// What the text of an alarm says beside its type: who saw it, or else the equipment's own words. Pure.
import type { Alarm } from './alarms';

/** The texts that say no more than a type does; `*` is an element: first the one of the alarm, then who saw it. */
export const USUAL: Record<string, string> = {
  'antenna-mismatch': 'antenna of * reflects too much',
  'battery-low': 'the batteries of * are nearly empty',
  'card-failure': '* does not answer *',
  'cell-degraded': '* serves its users badly',
  'cell-unavailable': '* is not on air',
  'cells-out-of-service': 'no cell of * carries traffic',
  'clock-unsynchronised': '* has lost its time reference',
  congestion: 'packets dropped at *',
  'interference-high': 'foreign power on the carrier of *',
  'link-down': 'adjacency over * lost',
  'loss-of-signal': 'no light from * arrives at *',
  'mains-failure': '* has no mains and runs on battery',
  'node-unreachable': '* does not answer polls',
  'optical-power-low': '* sends too little light',
  'signal-degraded': 'bit errors on * above threshold',
  'site-unreachable': 'heartbeats of * are missing',
  'temperature-high': 'cabinet temperature of * too high',
};

/** Who saw what the alarm tells, or nobody in particular, if its text says no more than that; otherwise its own words. */
export function wording({ type, resource, text }: Pick<Alarm, 'type' | 'resource' | 'text'>): { by?: string; own?: string } {
  if (!Object.hasOwn(USUAL, type)) return text ? { own: text } : {};
  const [first, second = '', third] = USUAL[type]!.split('*');
  const begin = `${first}${resource}${second}`;
  if (text === begin && third === undefined) return {};
  const by = third === undefined ? '' : text.slice(begin.length);
  return text.startsWith(begin) && /^\w+:\S+$/.test(by) ? { by } : text ? { own: text } : {};
}
