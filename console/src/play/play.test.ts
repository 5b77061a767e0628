import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from '../language/en';
import type { Alarm } from '../network/alarms';
import { elements } from '../network/elements';
import type { Task } from '../platform.svelte';
import { length, POLICIES, rows, type Day } from './days';
import { input, KINDS, span, standing, type Fault } from './faults';
import { after, alarmTold, counts, moments, steps, upTo } from './replay';
import { alarmsOf, story, tasksOf, TASKS_MAX } from './story';

test('what a kind does not take is not said, and what is no number goes as it was written', () => {
  const filled = { element: ' cell:S-1/1 ', minutes: '1.5', severity: 'major' };
  const said = (kind: string) => Object.keys(input({ kind, ...filled }));
  expect(said('random')).toEqual(['kind']);
  expect(said('fibre-cut')).toEqual(['kind', 'element']);
  expect(said('mains-failure')).toEqual(['kind', 'element', 'duration']);
  expect(input({ kind: 'interference', ...filled })).toEqual({ kind: 'interference', element: 'cell:S-1/1', duration: 90, severity: 'major' });
  expect(input({ kind: 'congestion', element: '', minutes: 'long', severity: '' })).toEqual({ kind: 'congestion', duration: 'long' });
});

test('a fault is broken, mended, then over; spans are seconds, minutes from 2 on, and hours from 100 on', () => {
  const fault: Fault = { id: 1, kind: 'fibre-cut', element: 'link:a', began: '2026-11-29T10:00:00Z' };
  const repaired = '2026-11-29T11:00:00Z';
  expect([fault, { ...fault, repaired }, { ...fault, repaired, restored: repaired }].map(standing)).toEqual(['broken', 'mended', 'over']);
  expect([undefined, 0, 119, 120, 630, 5_999, 6_000].map(span)).toEqual([undefined, ['s', '0'], ['s', '119'], ['min', '2.0'], ['min', '11'], ['min', '100'], ['h', '1.7']]);
});

test('the kinds are those of the module that a simulated network takes, each with a word', () => {
  const folder = `${import.meta.dirname}/../../../yang`;
  const file = readdirSync(folder).find((it) => it.startsWith('convoke-simulation@'));
  const module = readFileSync(`${folder}/${file}`, 'utf8');
  const kinds = module.slice(module.indexOf('typedef fault-kind'), module.indexOf('typedef severity'));
  const taken = [...kinds.matchAll(/enum ([\w-]+) \{([^}]*)\}/g)].filter((it) => !it[2]!.includes('refuses it'));
  expect(taken.map((it) => it[1])).toEqual(Object.keys(KINDS));
  const policies = module.slice(module.indexOf('typedef day-policy'), module.indexOf('rpc score-faults'));
  expect([...policies.matchAll(/enum ([\w-]+)/g)].map((it) => it[1])).toEqual(POLICIES);
  for (const key of [...Object.keys(KINDS).map((it) => `fault.${it}`), ...POLICIES.map((it) => `policy.${it}`)]) {
    expect(Object.hasOwn(en, key), key).toBe(true);
  }
});

const KNOWN = elements([
  {
    'network-id': 'network:ip',
    node: [
      { 'node-id': 'router:R', 'convoke-ems:kind': 'router' },
      { 'node-id': 'card:R/1', 'convoke-ems:kind': 'card', 'convoke-ems:parent': 'router:R' },
      { 'node-id': 'site:S-1', 'convoke-ems:kind': 'site' },
      { 'node-id': 'site:S-10', 'convoke-ems:kind': 'site' },
    ],
    'ietf-network-topology:link': [
      { 'link-id': 'link:R-Q', source: { 'source-node': 'router:R' }, destination: { 'dest-node': 'router:Q' } },
      { 'link-id': 'link:Q-P', source: { 'source-node': 'router:Q' }, destination: { 'dest-node': 'router:P' } },
    ],
  },
]);
const FAULT: Fault = { id: 1, kind: 'card-failure', element: 'card:R/1', began: '2026-11-29T10:00:00Z' };
const task = (name: string, minute: number, content: string, more: Partial<Task> = {}): Task => ({
  'task-id': name,
  'task-sendFrom': 'oss',
  'task-sendTo': 'ip',
  'task-status': 'processing',
  'created-at': `2026-11-29T10:${String(minute).padStart(2, '0')}:00Z`,
  content,
  ...more,
});
const alarm = (resource: string, minute: number, isCleared = false): Alarm => ({
  key: resource,
  resource,
  type: 'link-down',
  severity: 'major',
  text: '',
  raised: `2026-11-29T10:${String(minute).padStart(2, '0')}:00Z`,
  changedMs: Date.parse('2026-11-29T10:50:00Z'),
  isCleared,
});

test('a story has the tasks that name its element with their wholes, and the alarms at what they name', () => {
  const all = [
    task('before', 0, 'router:R', { 'created-at': '2026-11-29T09:00:00Z' }),
    task('whole', 1, 'many sites: site:S-1'),
    task('part', 2, 'is router:R well?', { 'parent-task': 'whole' }),
    task('other', 3, 'router:Rome'),
    task('sibling', 4, 'nothing', { 'parent-task': 'whole' }),
  ];
  const alarms = [alarm('card:R/1', 0), alarm('site:S-1', 5), alarm('site:S-10', 5), alarm('link:R-Q', 6), alarm('link:Q-P', 6), alarm('router:R', 59), { ...alarm('router:R', 0), raised: '2026-11-29T08:00:00Z' }];
  const known = { elements: KNOWN, alarms, tasks: new Map(all.map((it) => [it['task-id'], it])) };
  const about = tasksOf(FAULT, known);
  expect(about.map((it) => it['task-id'])).toEqual(['whole', 'part', 'sibling']);
  expect(alarmsOf(FAULT, about, known).map((it) => [it.resource, it.raised.slice(11, 16)])).toEqual([
    ['card:R/1', '10:00'],
    ['site:S-1', '10:05'],
    ['link:R-Q', '10:06'],
    ['router:R', '10:59'],
  ]);
  // Of a fault that is long over, what comes later is none of its own.
  const over = { ...FAULT, repaired: '2026-11-29T08:00:00Z', restored: '2026-11-29T08:00:00Z' };
  expect(tasksOf(over, known)).toEqual([]);
  const many = Array.from({ length: 3 * TASKS_MAX }, (_, n) => task(`t${n}`, 1, 'card:R/1'));
  expect(tasksOf(FAULT, { ...known, tasks: new Map(many.map((it) => [it['task-id'], it])) })).toHaveLength(TASKS_MAX);
});

test('a story is told in the order in which it happened', () => {
  const about = [task('t', 2, ''), task('u', 3, '', { 'task-status': 'finished', 'changed-at': '2026-11-29T10:40:00Z' })];
  const said = { id: '1', sendFrom: 'oss', sendTo: 'ip', 'request-info': { time: '2026-11-29T10:02:01Z' } };
  const fault = { ...FAULT, repaired: '2026-11-29T10:30:00Z', restored: '2026-11-29T10:31:00Z' };
  const told = story(fault, about, [alarm('card:R/1', 1, true)], new Map([['t', [said]]]));
  expect(told.map((it) => it.what)).toEqual(['broke', 'raised', 'said', 'begun', 'mended', 'restored', 'over', 'cleared']);
});

const change = (id: number, name: string, status: string) => ({
  id,
  notification: {
    eventTime: `2026-11-29T10:00:0${id}Z`,
    'irtf-agent:condition-notifications': { 'task-id': name, 'task-sendFrom': 'ip', 'task-sendTo': 'oss', 'input-required': [{ status }] },
  },
});

test('tasks stand as they did after each event', () => {
  const log = [change(1, 'a', 'created'), { id: 2, notification: {} }, change(3, 'b', 'created'), change(4, 'a', 'finished')];
  const all = moments(log);
  expect(all.map((it) => [it.id, it.task, it.from])).toEqual([[1, 'a', 'oss'], [3, 'b', 'oss'], [4, 'a', 'oss']]);
  const states = (count: number) => after(steps(log, []), count).tasks.map((it) => [it.task, it.state]);
  expect(states(0)).toEqual([]);
  expect(states(2)).toEqual([['b', 'created'], ['a', 'created']]);
  expect(states(3)).toEqual([['a', 'finished'], ['b', 'created']]);
  expect(counts(after(steps(log, []), 2).tasks.map((it) => it.state))).toEqual([['created', 2]]);
});

test('beside the tasks it is told which alarms were open at a moment, as they had been told by then, and what rules had decided', () => {
  const at = (second: number) => `2026-11-29T10:00:${String(second).padStart(2, '0')}Z`;
  const alarm = (second: number, resource: string, severity: string, raised = second) =>
    alarmTold(1, {
      eventTime: at(second),
      'ietf-alarms:alarm-notification': { resource, 'alarm-type-id': 'e:link-down', 'perceived-severity': severity, time: at(raised) },
    })!;
  const ruled = (second: number, change: string, more: object = {}) => ({
    id: second,
    notification: { eventTime: at(second), 'convoke-policy:policy-update': { author: 'ann', name: 'good', change, ...more } },
  });
  const task = { id: 5, notification: { ...change(5, 'a', 'created').notification, eventTime: at(5) } };
  const log = [ruled(1, 'rule-added'), task, ruled(6, 'decided', { verdict: 'accept', kind: 'result' })];
  // Of one system after the other: what another told in between is in its place.
  const told = [alarm(3, 'link:A', 'major', 2), alarm(7, 'link:A', 'cleared'), alarm(4, 'link:B', 'critical')];
  const all = steps(log, told);
  expect(all.map((it) => it.at.slice(-3, -1))).toEqual(['03', '04', '05', '06', '07']);
  const then = (count: number) => {
    const { tasks, alarms, ruled } = after(all, count);
    return [tasks.length, alarms.map((it) => `${it.resource} ${it.severity} ${it.raised.slice(-3, -1)}`), ruled.map((it) => it.verdict)];
  };
  expect([1, 2, 4, 5].map(then)).toEqual([
    [0, ['link:A major 02'], []],
    [0, ['link:B critical 04', 'link:A major 02'], []],
    [1, ['link:B critical 04', 'link:A major 02'], ['accept']],
    [1, ['link:B critical 04'], ['accept']],
  ]);
  expect(alarmTold(1, { eventTime: at(1) })).toBeUndefined();
});

test('a log is read to the place where it ended, though its stream goes on', async () => {
  const frame = (id: number) => `id: ${id}\ndata: ${JSON.stringify({ 'ietf-restconf:notification': change(id, 'a', 'created').notification })}\n\n`;
  let isCancelled = false;
  const body = (...pieces: string[]) => {
    const rest = pieces.map((it) => new TextEncoder().encode(it));
    return new ReadableStream<Uint8Array>({
      pull: (to) => (rest.length > 0 ? to.enqueue(rest.shift()!) : new Promise(() => {})),
      cancel: () => void (isCancelled = true),
    });
  };
  expect((await upTo(body(frame(1) + frame(2).slice(0, 9), frame(2).slice(9) + frame(3)), 2)).map((it) => it.id)).toEqual([1, 2]);
  expect(isCancelled).toBe(true);
  // The last may be one that nobody tells this user.
  expect((await upTo(body(frame(1), frame(5)), 3)).map((it) => it.id)).toEqual([1]);
});

test('the better figure is that of its direction, and bars are shares of the greater', () => {
  const figure = (name: string, better: 'higher' | 'lower' | 'neither', value: string, unit = 'kWh') => ({ name, unit, better, value });
  const days: Day[] = [
    { place: 1, policy: 'agents', played: 100, figure: [figure('energy', 'lower', '80.0'), figure('energy-saved-share', 'higher', '0.02', 'share'), figure('messages', 'neither', '9.0')] },
    { place: 2, policy: 'manual', played: 100, figure: [figure('energy', 'lower', '100.0'), figure('energy-saved-share', 'higher', '0.02', 'share'), figure('restore-p50', 'lower', '5.0', 'min')] },
  ];
  const found = rows(days);
  expect(found.map((row) => [row.name, row.best])).toEqual([['restore-p50', undefined], ['energy', 0], ['energy-saved-share', undefined]]);
  expect(found[1]!.values.map((value) => length(found[1]!, value))).toEqual([0.8, 1]);
  expect(length(found[2]!, 0.02)).toBe(0.02);
  expect(length(found[0]!, undefined)).toBe(0);
  expect(rows(days, true).some((row) => row.best !== undefined)).toBe(false);
  const close: Day[] = ['80.01', '80.04'].map((value, place) => ({ ...days[place]!, figure: [figure('energy', 'lower', value)] }));
  expect(rows(close)[0]!.best).toBeUndefined();
});

test('a median that was never reached is longer than any, where there was something to reach', () => {
  const figure = (name: string, unit: string, value: string) => ({ name, unit, better: 'lower' as const, value });
  const agents: Day = { place: 1, policy: 'agents', played: 100, figure: [figure('unrestored', 'share', '0.1'), figure('locate-p50', 'min', '9')] };
  const manual: Day = { place: 2, policy: 'manual', played: 100, figure: [figure('unrestored', 'share', '0.1')] };
  const found = rows([agents, manual]).filter((row) => row.name !== 'unrestored');
  expect(found.map((row) => [row.name, row.values, row.best])).toEqual([
    ['detect-p50', [Infinity, Infinity], undefined],
    ['locate-p50', [9, Infinity], 0],
    ['restore-p50', [Infinity, Infinity], undefined],
  ]);
  expect([9, Infinity].map((value) => length(found[1]!, value))).toEqual([1, 1]);
  expect(rows([{ ...manual, figure: [] }])).toEqual([]);
});
