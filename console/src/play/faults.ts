// What can be broken in a simulated network, and what is told of it (convoke-simulation). Pure.
// Read next: Break.svelte, the form; story.ts, what becomes of a fault.

const MODULE = 'convoke-simulation';
export const INJECT = `${MODULE}:inject-fault`;
export const LIST = `${MODULE}:list-faults`;
export const CLEAR = `${MODULE}:clear-fault`;
export const SCORE = `${MODULE}:score-faults`;
export const COMPARE = `${MODULE}:compare-day`;
export const COMPARISON = `${MODULE}:get-comparison`;
export const END = `${MODULE}:end-comparison`;

/** A fault as it truly is. */
export interface Fault {
  id: number;
  kind: string;
  element: string;
  began: string;
  repaired?: string;
  restored?: string;
  'sites-out'?: number;
}

/** What was found about a fault. Times are seconds since it began. */
export interface Judgement {
  id: number;
  outcome: 'right' | 'wrong' | 'nothing';
  'found-kind'?: string;
  'found-element'?: string;
  'found-by'?: 'agent' | 'person';
  'wrong-findings'?: number;
  'time-to-detect'?: number;
  'time-to-locate'?: number;
  'time-to-mend'?: number;
  'time-to-restore'?: number;
  'closed-too-early'?: number;
}

/** What a kind strikes, and what else it takes. */
interface Kind {
  strikes?: string;
  takesTime?: boolean;
  hasDegrees?: boolean;
}

/** The kinds that a simulated network takes. */
export const KINDS: Record<string, Kind> = {
  random: {},
  'fibre-cut': { strikes: 'link' },
  'duct-cut': { strikes: 'duct' },
  'card-failure': { strikes: 'card' },
  'router-failure': { strikes: 'router' },
  'mains-failure': { strikes: 'zone', takesTime: true },
  'optical-module-ageing': { strikes: 'optic', takesTime: true },
  'cell-hardware-failure': { strikes: 'cell' },
  misconfiguration: { strikes: 'cell' },
  interference: { strikes: 'cell', takesTime: true, hasDegrees: true },
  congestion: { strikes: 'link', takesTime: true, hasDegrees: true },
};

export const DEGREES = ['minor', 'major', 'critical'];

/** What is filled in. */
export interface Wish {
  kind: string;
  element: string;
  minutes: string;
  severity: string;
}

/** The input of inject-fault: what is left empty, or what the kind does not take, is not said. */
export function input({ kind, element, minutes, severity }: Wish): object {
  const takes = KINDS[kind] ?? {};
  return {
    kind,
    ...(takes.strikes && element.trim() ? { element: element.trim() } : {}),
    // What is no number goes as it was written: what is wrong with it the platform says.
    ...(takes.takesTime && minutes.trim() ? { duration: seconds(minutes.trim()) } : {}),
    ...(takes.hasDegrees && severity ? { severity } : {}),
  };
}

function seconds(minutes: string): number | string {
  const number = Number(minutes);
  return Number.isFinite(number) ? Math.round(number * 60) : minutes;
}

/** How a fault stands: broken, mended while sites are still out, or over. */
export function standing(fault: Fault): 'broken' | 'mended' | 'over' {
  return !fault.repaired ? 'broken' : fault.restored ? 'over' : 'mended';
}

/** A span as people say it: seconds below two minutes, minutes, from 100 on hours; what has not happened is nothing. */
export function span(seconds: number | undefined): [unit: 's' | 'min' | 'h', value: string] | undefined {
  if (seconds === undefined) return undefined;
  if (seconds < 120) return ['s', seconds.toFixed(0)];
  const minutes = seconds / 60;
  if (minutes < 100) return ['min', minutes < 10 ? minutes.toFixed(1) : minutes.toFixed(0)];
  return ['h', (minutes / 60).toFixed(1)];
}
