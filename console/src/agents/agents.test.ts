import { expect, test } from 'vitest';
import type { Agent, Task } from '../platform.svelte';
import { neighbourhood, ways } from '../overview/speaking';
import { found, heard, meanStep, work, works } from './agents';

const agents: Agent[] = [
  { name: 'X-2', alias: 'ip-fault', domain: 'IP', skills: { skill: [{ 'skill-name': 'fault-diagnosis' }] } },
  { name: 'X-1', alias: 'energy', domain: 'Wireless', description: 'Puts cells to sleep.' },
  { name: 'plain' },
];

test('agents are found by what their cards say, and by domain', () => {
  const names = (text: string, domain = '') => found(agents, text, domain).map((it) => it.name);
  expect(names('')).toEqual(['X-1', 'X-2', 'plain']);
  expect(names(' DIAGNOSIS ')).toEqual(['X-2']);
  expect(names('sleep')).toEqual(['X-1']);
  expect(names('sleep', 'IP')).toEqual([]);
  expect(names('', 'IP')).toEqual(['X-2']);
});

const task = (name: string, from: string, to: string, status: string, at: string): Task => ({
  'task-id': name,
  'task-sendFrom': from,
  'task-sendTo': to,
  'task-status': status,
  'changed-at': at,
});
const tasks = [
  task('1', 'ann', 'X-1', 'processing', '1'),
  task('2', 'ann', 'X-1', 'created', '2'),
  task('3', 'X-1', 'X-2', 'processing', '3'),
  task('4', 'ann', 'X-1', 'finished', '4'),
  task('5', 'X-1', 'X-2', 'failed', '5'),
  task('6', 'ann', 'plain', 'created', '6'),
];

test('the work of an agent is what it carries out, has assigned and has ended, the last change first', () => {
  const all = works(tasks);
  const names = (name: string) => Object.values(work(all, name)).map((list) => (list as Task[]).map((it) => it['task-id']));
  expect(names('X-1')).toEqual([['2', '1'], ['3'], ['4']]);
  expect(names('X-2')).toEqual([['3'], [], ['5']]);
  expect(names('nobody')).toEqual([[], [], []]);
});

test('whoever has tasks with somebody is near, and nobody else', () => {
  const near = neighbourhood('X-2', agents, ways(tasks));
  expect(near.agents.map((it) => it.name)).toEqual(['X-2', 'X-1']);
  expect(near.ways).toEqual([{ from: 'X-1', to: 'X-2', open: 1, all: 2 }]);
  expect(neighbourhood('alone', agents, []).agents).toEqual([]);
});

test('a step takes in the mean what all took, once there was one', () => {
  expect(meanStep({ name: 'a', steps: '4', 'step-time': '10000' })).toBe(2.5);
  expect(meanStep({ name: 'a', steps: '0', 'step-time': '0' })).toBeUndefined();
  expect(meanStep({ name: 'a' })).toBeUndefined();
});

test('of a mailbox is said what is known, and why nothing is', () => {
  const [read, denied, asked, failed] = [{ isKnown: true, value: {} }, { isKnown: true }, { isKnown: false }, { isKnown: false, error: new Error('cut') }];
  expect(heard({ name: 'a' }, 'hosted', read)).toBe('box');
  for (const usage of [read, denied, asked, failed]) expect(heard(undefined, 'a2a', usage)).toBe('elsewhere');
  expect([read, denied, asked, failed].map((usage) => heard(undefined, 'hosted', usage))).toEqual(['untold', 'denied', 'asked', 'failed']);
});
