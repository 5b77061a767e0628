// Figures over time: how many tasks were in which state, and how many events came a second. Bounded. Pure.
import type { Task } from '../platform.svelte';

/** How it was at a moment; nothing is known of one at which nobody looked. */
export interface Sample {
  /** Seconds since 1970, of this browser. */
  at: number;
  rate: number | null;
  states: Record<string, number> | null;
}

/** Ten minutes, by the second. */
export const SAMPLES_MAX = 600;
/** After longer than that without one, there is a gap. */
const GAP_S = 5;

/** How many tasks are in which state. */
export function counted(tasks: Iterable<Task>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const task of tasks) counts[task['task-status']] = (counts[task['task-status']] ?? 0) + 1;
  return counts;
}

/** The samples with another one, and with a gap where nobody looked. */
export function grown(samples: Sample[], next: Sample): Sample[] {
  const last = samples.at(-1);
  if (last && next.at <= last.at) return [...samples.slice(0, -1), { ...next, at: last.at }];
  const gap: Sample[] = last && next.at - last.at > GAP_S ? [{ at: last.at + 1, rate: null, states: null }] : [];
  return [...samples, ...gap, next].slice(-SAMPLES_MAX);
}

/** The least, the most and the last of a line; nothing of one without numbers. */
export function extent(values: (number | null)[]): { now: number; least: number; most: number } | undefined {
  const known = values.filter((it) => it !== null);
  if (known.length === 0) return undefined;
  return { now: known.at(-1)!, least: Math.min(...known), most: Math.max(...known) };
}

/** How far apart moments are named, in seconds. */
export const SPANS = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600, 14_400];

/** Round numbers from one to another, at most about so many; as far apart as one of those that are given, or if none is as much a power of ten, twice or five times it. */
export function marks(from: number, to: number, most: number, apart: number[] = []): number[] {
  const least = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = apart.find((it) => it >= least) ?? [1, 2, 5, 10].map((it) => it * power).find((it) => it >= least) ?? least;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, place) => (first + place) * step);
}

/** A line as a path, with gaps where nothing is known; with a floor, the areas down to it. */
export function drawn(values: (number | null)[], x: (place: number) => number, y: (value: number) => number, floor?: number): string {
  let path = '';
  let begun: number | undefined;
  const close = (end: number) => {
    if (begun !== undefined && floor !== undefined) path += `L${x(end).toFixed(1)} ${floor}L${x(begun).toFixed(1)} ${floor}Z`;
    begun = undefined;
  };
  values.forEach((value, place) => {
    if (value === null) return close(place - 1);
    path += `${begun === undefined ? 'M' : 'L'}${x(place).toFixed(1)} ${y(value).toFixed(1)}`;
    begun ??= place;
  });
  close(values.length - 1);
  return path;
}
