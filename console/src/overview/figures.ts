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
