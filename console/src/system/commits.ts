// How long commits take and how many there are, from counters that are read again and again. Bounded. Pure.
import type { Bucket, Store } from './usage';

/** What the counters were at a moment. */
export interface Reading {
  /** Milliseconds since 1970, of this browser. */
  at: number;
  store: Store;
}

/** How it was in the time before a moment; nothing where there was no commit, or nobody looked. */
export interface Sample {
  /** Seconds since 1970, of this browser. */
  at: number;
  /** A second. */
  commits: number | null;
  changes: number | null;
  /** Milliseconds. */
  mean: number | null;
  median: number | null;
  slow: number | null;
}

/** The bound of the bucket in which all are, however long they took. */
export const UNBOUNDED = 4_294_967_295;
/** The share of commits that take no longer than the slow ones. */
const SLOW = 0.99;
/** A sample is of the time since the last reading that is as old: of less than that, few commits tell little. */
export const SPAN_MS = 30_000;
/** Ten minutes. */
export const KEPT_MS = 600_000;
/** After longer than that without a reading, there is a gap. */
const GAP_MS = 15_000;

const count = (text: string | undefined) => Number(text ?? 0);

/** By how much each bucket grew, in the order of their bounds. */
function growth(before: Bucket[], now: Bucket[]): { upTo: number; commits: number }[] {
  const was = new Map(before.map((it) => [it['up-to'], count(it.commits)]));
  return now
    .map((it) => ({ upTo: it['up-to'], commits: count(it.commits) - (was.get(it['up-to']) ?? 0) }))
    .sort((a, b) => a.upTo - b.upTo);
}

/**
 * How long that share of commits took at the most, in milliseconds, taken to be spread evenly within their bucket; of
 * one without a bound, the greatest that there is. Nothing without commits.
 */
export function percentile(buckets: { upTo: number; commits: number }[], share: number): number | null {
  const all = buckets.at(-1)?.commits ?? 0;
  if (all <= 0) return null;
  const wanted = all * share;
  let [least, below] = [0, 0];
  for (const { upTo, commits } of buckets) {
    if (upTo >= UNBOUNDED) break;
    if (commits >= wanted) return (least + ((upTo - least) * (wanted - below)) / Math.max(1, commits - below)) / 1_000;
    [least, below] = [upTo, commits];
  }
  return least / 1_000;
}

/** What the commits between two readings were like; nothing if the counters began anew in between. */
export function between(before: Reading, now: Reading): Sample | undefined {
  const grown = (name: 'commits' | 'changes' | 'commit-time') => count(now.store[name]) - count(before.store[name]);
  const [commits, changes, time] = [grown('commits'), grown('changes'), grown('commit-time')];
  const seconds = (now.at - before.at) / 1_000;
  if (seconds <= 0 || commits < 0 || changes < 0 || time < 0) return undefined;
  const buckets = growth(before.store['commit-bucket'] ?? [], now.store['commit-bucket'] ?? []);
  return {
    at: Math.round(now.at / 1_000),
    commits: commits / seconds,
    changes: changes / seconds,
    mean: commits > 0 ? time / commits / 1_000 : null,
    median: percentile(buckets, 0.5),
    slow: percentile(buckets, SLOW),
  };
}

/** Readings and what they come to, with another one. */
export interface Course {
  readings: Reading[];
  samples: Sample[];
}

export const NO_COURSE: Course = { readings: [], samples: [] };

export function onward({ readings, samples }: Course, next: Reading): Course {
  const last = readings.at(-1);
  const isGap = last !== undefined && next.at - last.at > GAP_MS;
  const known = isGap ? [] : readings;
  // The one since which a sample is, and all after it.
  const old = known.filter((it) => it.at <= next.at - SPAN_MS).length;
  const kept = known.slice(Math.max(0, old - 1));
  const sample = kept[0] && between(kept[0], next);
  const blank = isGap || (kept[0] && !sample);
  const empty: Sample = { at: Math.round((last?.at ?? next.at) / 1_000) + 1, commits: null, changes: null, mean: null, median: null, slow: null };
  const grown = [...samples, ...(blank && samples.length > 0 ? [empty] : []), ...(sample ? [sample] : [])];
  return {
    readings: kept[0] && !sample ? [next] : [...kept, next],
    samples: grown.filter((it) => it.at * 1_000 > next.at - KEPT_MS),
  };
}
