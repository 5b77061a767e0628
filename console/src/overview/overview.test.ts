import { expect, test } from 'vitest';
import type { Agent, Task } from '../platform.svelte';
import type { Alarm } from '../network/alarms';
import { cases, closed, isStanding } from './cases';
import type { Cause } from '../network/cause';
import { about, back, out, outages } from './out';
import { counted, drawn, extent, grown, marks, SAMPLES_MAX, SPANS, type Sample } from './figures';
import { curve, DOMAINS_MAX, laid, parties, REST, ways } from './speaking';

const task = (name: string, from: string, to: string, more: Partial<Task> = {}): [string, Task] => [
  name,
  { 'task-id': name, 'task-sendFrom': from, 'task-sendTo': to, 'task-status': 'processing', 'created-at': `${name} 0`, 'changed-at': `${name} 1`, ...more },
];

test('standing jobs stand behind what ends by itself, and what is over is told from the last on', () => {
  const tasks = new Map([
    task('a', 'oss', 'ip', { type: 'fault_incident' }),
    task('b', 'oss', 'ip', { type: 'fault_repair' }),
    task('c', 'oss', 'ip', { type: 'energy_saving', deadline: 'c 2' }),
    task('d', 'oss', 'ip', { 'task-status': 'finished' }),
    task('e', 'oss', 'ip', { 'task-status': 'failed' }),
    task('f', 'oss', 'ip', { 'task-status': 'failed', 'parent-task': 'e' }),
  ]);
  const found = cases(tasks);
  expect(found.map((it) => [it.task['task-id'], isStanding(it)])).toEqual([['b', false], ['c', false], ['a', true]]);
  expect(closed(tasks, 8).map((it) => it['task-id'])).toEqual(['e', 'd']);
  expect(closed(tasks, 1).map((it) => it['task-id'])).toEqual(['e']);
});

test('a site is out since the first of the alarms that say so', () => {
  const alarm = (resource: string, type: string, raised: string) => ({ resource, type, raised }) as Alarm;
  const alarms = [alarm('site:A', 'site-unreachable', '2'), alarm('site:A', 'cells-out-of-service', '1'), alarm('site:B', 'battery-low', '0'), alarm('site:C', 'site-unreachable', '0')];
  expect(out(alarms)).toEqual([{ site: 'site:C', since: '0' }, { site: 'site:A', since: '1' }]);
});

test('sites that are out for one reason are told together', () => {
  const because = (element: string) => ({ element }) as Cause;
  const all = ['A', 'B', 'C', 'D'].map((site, place) => ({ site, since: String(place) }));
  const found = outages(all, (site) => (site === 'B' ? undefined : because(site === 'D' ? 'router:Y' : 'router:X')), () => undefined);
  expect(found.map((it) => [it.cause?.element, it.sites])).toEqual([['router:X', ['A', 'C']], [undefined, ['B']], ['router:Y', ['D']]]);
});

test('of sites whose cause is not known it is told who has a task about them, and names stand in order', () => {
  const tasks = [
    task('late', 'oss', 'ip', { content: 'site:A' })[1],
    task('first', 'oss', 'ip', { content: 'look at site:A', 'created-at': 'f' })[1],
    task('a over', 'oss', 'ip', { content: 'site:A', 'task-status': 'failed' })[1],
  ];
  expect(about(tasks).get('site:A')?.['task-id']).toBe('first');
  const why = task('why', 'oss', 'ip', { content: 'Is it site A or ["site:B-1","x"]? Not site:B-12.', type: 'fault_diagnosis' })[1];
  expect([...about([...tasks, why])].map(([site, it]) => [site, it['task-id']])).toEqual([['site:A', 'why'], ['site:B-1', 'why'], ['site:B-12', 'why']]);
  const all = ['site:C', 'site:B', 'site:A'].map((site, place) => ({ site, since: String(place) }));
  const found = outages(all, () => undefined, (site) => about(tasks).get(site));
  expect(found.map((it) => [it.about?.['task-id'], it.since, it.sites])).toEqual([[undefined, '0', ['site:B', 'site:C']], ['first', '2', ['site:A']]]);
});

test('a site is told to be back for a while, unless it is out again', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString();
  const alarm = (resource: string, type: string, from: number, to: number, isCleared = true) => ({ resource, type, raised: at(from), changedMs: to * 1_000, isCleared }) as Alarm;
  const alarms = [
    alarm('site:A', 'site-unreachable', 3_000, 3_500),
    alarm('site:A', 'cells-out-of-service', 3_100, 3_600),
    alarm('site:B', 'site-unreachable', 3_000, 3_500),
    alarm('site:B', 'cells-out-of-service', 3_000, 3_000, false),
    alarm('site:C', 'site-unreachable', 1_000, 2_000),
    alarm('site:D', 'battery-low', 3_000, 3_500),
  ];
  expect(back(alarms, 3_700_000)).toEqual([{ site: 'site:A', atMs: 3_600_000, lastedMs: 600_000 }]);
});

const agent = (name: string, domain: string, isOnline = true): Agent => ({ name, domain, observed: { online: isOnline } });

test('a case hangs at its deepest open part, at one that waits for somebody before others', () => {
  const tasks = new Map([
    task('b', 'ann', 'x'),
    task('a', 'ann', 'x'),
    task('a1', 'x', 'y', { 'parent-task': 'a', 'task-status': 'finished' }),
    task('a2', 'x', 'y', { 'parent-task': 'a' }),
    task('a3', 'x', 'z', { 'parent-task': 'a', awaits: 'answer' }),
    task('a31', 'z', 'w', { 'parent-task': 'a3' }),
    task('over', 'ann', 'x', { 'task-status': 'failed' }),
    task('self', 'ann', 'x', { 'parent-task': 'self' }),
    task('lost', 'ann', 'x', { 'parent-task': 'nobody knows' }),
  ]);
  const found = cases(tasks).map((it) => [it.task['task-id'], it.hangs['task-id'], it.open]);
  expect(found).toEqual([
    ['a', 'a31', 3],
    ['b', 'b', 0],
    ['lost', 'lost', 0],
  ]);
});

const tasks = [
  task('1', 'ann', 'boss'),
  task('2', 'boss', 'ip'),
  task('3', 'boss', 'ip'),
  task('4', 'boss', 'ran', { 'task-status': 'finished' }),
].map(([, it]) => it);
const agents = [agent('boss', 'Customer'), agent('ip', 'IP'), agent('ran', 'RAN', false), agent('idle', 'IP')];

test('who works for whom is counted, the open ones first', () => {
  expect(ways(tasks)).toEqual([
    { from: 'boss', to: 'ip', open: 2, all: 2 },
    { from: 'ann', to: 'boss', open: 1, all: 1 },
    { from: 'boss', to: 'ran', open: 0, all: 1 },
  ]);
});

test('people stand before those whom they assign to, and these before theirs', () => {
  const found = parties(agents, ways(tasks));
  const { boxes, places } = laid(found.parties, found.ways);
  expect(found.areDomains).toBe(false);
  expect(boxes.map((box) => box.domain)).toEqual(['', 'Customer', 'IP', 'RAN']);
  const x = (name: string) => places.get(name)!.x;
  expect(x('ann')).toBeLessThan(x('boss'));
  expect(x('boss')).toBeLessThan(x('ip'));
  expect(x('ran')).toBe(x('ip'));
  const onward = curve(places.get('ann')!, places.get('boss')!);
  expect(onward.x).toBeGreaterThan(x('ann'));
});

test('without people, those stand first to whom nobody assigns', () => {
  const found = parties(agents, ways(tasks).filter((way) => way.from !== 'ann'));
  const { boxes, places } = laid(found.parties, found.ways);
  expect(boxes.map((box) => box.domain)).toEqual(['Customer', 'IP', 'RAN']);
  expect(places.get('boss')!.x).toBeLessThan(places.get('ip')!.x);
});

test('nothing in the picture lies upon something else, however many there are', () => {
  const many = Array.from({ length: 38 }, (_, it) => agent(`a${it}`, `domain ${it % 7}`));
  const { boxes } = laid(parties(many, []).parties, []);
  for (const a of boxes) {
    for (const b of boxes) {
      const isApart = a === b || a.x !== b.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
      expect(isApart, `${a.domain} ${b.domain}`).toBe(true);
    }
  }
});

test('too many are drawn by their domains', () => {
  const found = parties(agents, ways(tasks), 3);
  expect(found.areDomains).toBe(true);
  expect(found.parties.find((it) => it.domain === 'IP')).toMatchObject({ agents: 2, online: 2 });
  expect(found.ways[0]).toEqual({ from: 'Customer', to: 'IP', open: 2, all: 2 });
  // And of too many domains the busiest.
  const some = parties(agents, ways(tasks), 3, 1);
  expect(some.parties.map((it) => [it.name, it.agents])).toEqual([['', 0], ['Customer', 1], [REST, 3]]);
  expect(some.ways[0]).toEqual({ from: 'Customer', to: REST, open: 2, all: 3 });
  const whole = parties(Array.from({ length: 500 }, (_, it) => agent(`a${it}`, `domain ${it}`)), []);
  expect(laid(whole.parties, whole.ways).boxes).toHaveLength(DOMAINS_MAX + 1);
});

test('figures are bounded, and what nobody saw is a gap', () => {
  expect(counted(tasks)).toEqual({ processing: 3, finished: 1 });
  let samples: Sample[] = [];
  const at = (second: number): Sample => ({ at: second, rate: 1, states: {} });
  for (let second = 0; second < SAMPLES_MAX + 5; second += 1) samples = grown(samples, at(second));
  expect(samples).toHaveLength(SAMPLES_MAX);
  // Two of one second are one.
  samples = grown(samples, samples.at(-1)!);
  expect(samples).toHaveLength(SAMPLES_MAX);
  samples = grown(samples, at(10_000));
  expect(samples.slice(-2).map((it) => it.rate)).toEqual([null, 1]);
  expect(extent([null, 3, 1, 2])).toEqual({ now: 2, least: 1, most: 3 });
  expect(extent([null])).toBeUndefined();
});

test('what is named beside a picture is round', () => {
  expect(marks(0, 5.5, 4, [1])).toEqual([0, 2, 4]);
  expect(marks(0, 3.3, 4, [1])).toEqual([0, 1, 2, 3]);
  expect(marks(0, 36, 4)).toEqual([0, 10, 20, 30]);
  expect(marks(0, 1.1, 4)).toEqual([0, 0.5, 1]);
  expect(marks(1_003, 1_063, 5, SPANS)).toEqual([1_020, 1_050]);
  expect(marks(7, 8, 3, SPANS)).toEqual([7, 8]);
});

test('a line has gaps where nothing is known, and so has what lies below it', () => {
  const [x, y] = [(place: number) => 10 * place, (value: number) => 100 - value];
  const values = [1, 2, null, 4, 5];
  expect(drawn(values, x, y)).toBe('M0.0 99.0L10.0 98.0M30.0 96.0L40.0 95.0');
  expect(drawn(values, x, y, 100)).toBe('M0.0 99.0L10.0 98.0L10.0 100L0.0 100ZM30.0 96.0L40.0 95.0L40.0 100L30.0 100Z');
  expect(drawn([null, null], x, y, 100)).toBe('');
});
