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

/** Medians, each with the figure that is there if there was anything of which it is one: without it, it was never reached. */
const MEDIANS: Record<string, string> = {
  'detect-p50': 'unrestored',
  'locate-p50': 'unrestored',
  'restore-p50': 'unrestored',
  'complaint-reply-p50': 'complaints-unanswered',
};

export interface Row {
  name: string;
  unit: string;
  /** Under either policy; nothing where the day does not have it, infinite where it was never reached. */
  values: (number | undefined)[];
  /** Which of them is better, if one is. */
  best?: number;
}

/** A row for each figure that either day has; none is the better where one day is a part of the other. */
export function rows(days: Day[], isForked = false): Row[] {
  return SHOWN.flatMap((name): Row[] => {
    const of = (day: Day, wanted: string | undefined) => day.figure?.find((figure) => figure.name === wanted);
    const found = days.map((day) => of(day, name));
    const values = days.map((day, at) => (found[at] ? Number(found[at].value) : of(day, MEDIANS[name]) ? Infinity : undefined));
    if (values.every((value) => value === undefined)) return [];
    const { unit, better } = found.find((figure) => figure !== undefined) ?? { unit: 'min', better: 'lower' };
    const [a, b] = values;
    const isDecided = !isForked && a !== undefined && b !== undefined && better !== 'neither' && written(unit, a) !== written(unit, b);
    return [{ name, unit, values, ...(isDecided ? { best: a > b === (better === 'higher') ? 0 : 1 } : {}) }];
  });
}

/** A value as it is shown. */
export function written(unit: string, value: number, locale = 'en-GB'): string {
  const factor = unit === 'share' ? 100 : 1;
  return (value * factor).toLocaleString(locale, { maximumFractionDigits: 1 });
}

/** How long the bar of a value is, 0 to 1: a share of all, anything else of the greater of both; of never, whole. */
export function length(row: Row, value: number | undefined): number {
  if (value === Infinity) return 1;
  const most = row.unit === 'share' ? 1 : Math.max(0, ...row.values.map((it) => it ?? 0).filter(Number.isFinite));
  return most > 0 ? Math.min(1, Math.max(0, (value ?? 0) / most)) : 0;
}
