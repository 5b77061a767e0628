import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from '../language/en';
import { between, KEPT_MS, NO_COURSE, onward, percentile, SPAN_MS, UNBOUNDED, type Reading } from './commits';
import { byLag, byWeight, CONDITIONS, NODE_STATES, VERIFICATIONS } from './usage';

test('a share of commits took no longer than what their buckets say', () => {
  const buckets = [
    { upTo: 1_000, commits: 50 },
    { upTo: 2_000, commits: 90 },
    { upTo: 5_000, commits: 99 },
    { upTo: UNBOUNDED, commits: 100 },
  ];
  expect(percentile(buckets, 0.5)).toBe(1);
  expect(percentile(buckets, 0.7)).toBe(1.5);
  expect(percentile(buckets, 0.99)).toBe(5);
  // Of those that are in no other bucket, no more is known than that they took longer.
  expect(percentile(buckets, 1)).toBe(5);
  expect(percentile(buckets.map((it) => ({ ...it, commits: 0 })), 0.5)).toBeNull();
  expect(percentile([], 0.5)).toBeNull();
});

const reading = (at: number, commits: number): Reading => ({
  at,
  store: {
    commits: String(commits),
    changes: String(3 * commits),
    'commit-time': String(1_500 * commits),
    'commit-bucket': [
      { 'up-to': 1_000, commits: '0' },
      { 'up-to': 2_000, commits: String(commits) },
      { 'up-to': UNBOUNDED, commits: String(commits) },
    ],
  },
});

test('what lies between two readings is told, and nothing of counters that began anew', () => {
  expect(between(reading(0, 100), reading(10_000, 120))).toEqual({ at: 10, commits: 2, changes: 6, mean: 1.5, median: 1.5, slow: 1.99 });
  expect(between(reading(0, 100), reading(10_000, 100))).toEqual({ at: 10, commits: 0, changes: 0, mean: null, median: null, slow: null });
  expect(between(reading(0, 100), reading(10_000, 7))).toBeUndefined();
  // A platform that does not tell of buckets.
  expect(between({ at: 0, store: {} }, { at: 1_000, store: { commits: '1' } })).toMatchObject({ commits: 1, median: null });
});

test('ten minutes are kept, each moment is of the half minute before it, and what nobody saw is a gap', () => {
  let course = NO_COURSE;
  for (let at = 0; at <= 1_200_000; at += 3_000) course = onward(course, reading(at, at / 1_000));
  expect(course.samples).toHaveLength(KEPT_MS / 3_000);
  expect(course.readings).toHaveLength(SPAN_MS / 3_000 + 1);
  expect(course.samples.at(-1)).toMatchObject({ at: 1_200, commits: 1 });
  course = onward(course, reading(1_300_000, 1_300));
  expect(course.samples.at(-1)).toMatchObject({ at: 1_201, commits: null });
  course = onward(course, reading(1_303_000, 1_306));
  expect(course.samples.at(-1)).toMatchObject({ at: 1_303, commits: 2 });
  // Another platform.
  course = onward(course, reading(1_306_000, 3));
  expect(course.samples.at(-1)!.commits).toBeNull();
  expect(onward(course, reading(1_309_000, 6)).samples.at(-1)).toMatchObject({ commits: 1 });
});

test('whoever wants looking at stands first', () => {
  expect(byWeight([{ name: 'a', 'held-bytes': '9' }, { name: 'b', 'data-bytes': '10' }, { name: 'c', refused: '1' }]).map((it) => it.name)).toEqual(['c', 'b', 'a']);
  const all = [{ id: '10', 'lag-events': '0' }, { id: '9' }, { id: '11', 'lag-events': '12' }].map((it) => ({ user: 'u', stream: 's', ...it }));
  expect(byLag(all).map((it) => it.id)).toEqual(['11', '9', '10']);
});

test('states are those of the modules, each with a word', () => {
  const folder = `${import.meta.dirname}/../../../yang`;
  const module = (name: string) => readFileSync(`${folder}/${readdirSync(folder).find((it) => it.startsWith(`${name}@`))}`, 'utf8');
  /** The names of an enumeration, which ends before what follows it at the same depth. */
  const names = (text: string, from: string, to: string) => {
    const begin = text.indexOf(from);
    expect(begin, from).toBeGreaterThan(0);
    return [...text.slice(begin, text.indexOf(to, begin)).matchAll(/enum ([\w-]+)/g)].map((it) => it[1]!).sort();
  };
  const usage = module('convoke-usage');
  const groups: [string, string[], string[]][] = [
    ['store.is', Object.keys(CONDITIONS), names(usage, 'leaf condition', 'leaf size')],
    ['verified', Object.keys(VERIFICATIONS), names(usage.slice(usage.indexOf('container verification')), 'leaf state', 'leaf began')],
    ['node.is', Object.keys(NODE_STATES), names(module('convoke-cluster'), 'typedef node-state', 'typedef lead-reason')],
    ['store.backend', names(usage, 'leaf backend', 'leaf condition'), names(usage, 'leaf backend', 'leaf condition')],
    ['reach', names(module('convoke-registry'), 'typedef agent-reach', 'typedef agent-health'), names(module('convoke-registry'), 'typedef agent-reach', 'typedef agent-health')],
  ];
  for (const [group, table, told] of groups) {
    expect([...table].sort(), group).toEqual(told);
    for (const name of told) expect(Object.hasOwn(en, `${group}.${name}`), `${group}.${name}`).toBe(true);
  }
});
