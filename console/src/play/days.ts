// A day played under two policies, beside each other: which figure is better under which. Pure.
// Read next: Compare.svelte; docs/score.md, what the figures mean.

export const POLICIES = ['agents', 'manual', 'correlated', 'none'];

export interface Figure {
  name: string;
  unit: string;
  better: 'higher' | 'lower' | 'neither';
  /** A decimal64, which RFC 7951 writes as a text. */
  value: string;
}

export interface Day {
  place: number;
  policy: string;
  played: number;
  figure?: Figure[];
}

export interface Comparison {
  state: 'none' | 'running' | 'done' | 'ended' | 'failed';
  why?: string;
  seed?: number;
  sites?: number;
  /** The hour at which the second day was forked from the first. */
  from?: number;
  day?: Day[];
}

/** The figures that are shown, in that order; the others are of those who compare policies by many days. */
const SHOWN = [
  'root-cause-top-1',
  'detect-p50',
  'locate-p50',
  'restore-p50',
  'unrestored',
  'dispatches',
  'wrong-dispatches',
  'wrong-tickets',
  'outage-user-minutes',
  'guarantee-breach-user-minutes',
  'compensated-served-share',
  'energy',
  'energy-saved-share',
  'complaints-localised-right',
  'complaint-reply-p50',
];

export interface Row {
  name: string;
  unit: string;
  /** Under either policy; nothing where the day does not have it. */
  values: (number | undefined)[];
  /** Which of them is better, if one is. */
  best?: number;
}

/** A row for each figure that either day has. */
export function rows(days: Day[]): Row[] {
  return SHOWN.flatMap((name): Row[] => {
    const found = days.map((day) => day.figure?.find((figure) => figure.name === name));
    const any = found.find((figure) => figure !== undefined);
    if (!any) return [];
    const values = found.map((figure) => (figure ? Number(figure.value) : undefined));
    const [a, b] = values;
    const isDecided = a !== undefined && b !== undefined && a !== b && any.better !== 'neither';
    return [{ name, unit: any.unit, values, ...(isDecided ? { best: a > b === (any.better === 'higher') ? 0 : 1 } : {}) }];
  });
}

/** How long the bar of a value is, 0 to 1: a share of all, anything else of the greater of both. */
export function length(row: Row, value: number | undefined): number {
  const most = row.unit === 'share' ? 1 : Math.max(...row.values.map((it) => it ?? 0));
  return most > 0 ? Math.min(1, Math.max(0, (value ?? 0) / most)) : 0;
}
