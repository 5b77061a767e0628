import { expect, test, vi } from 'vitest';
import { what } from '../network/done';
import type { Task } from '../platform.svelte';
import { found, read, written } from './filter';

vi.mock('../network/done', async (original) => {
  const all = await original<typeof import('../network/done')>();
  return { ...all, what: vi.fn(all.what) };
});

const task = (name: string, more: Partial<Task> = {}): Task => ({ 'task-id': name, 'task-sendFrom': 'ann', 'task-sendTo': 'ip', 'task-status': 'processing', ...more });
const tasks = [
  task('a', { content: '##target object\nrouter:Lodz\n##task description\nSee to the mast', 'created-at': '2026-11-29T00:00:01Z', 'changed-at': '2026-11-29T00:20:09Z' }),
  task('b', { 'task-sendFrom': 'bob', 'parent-task': 'a', 'created-at': '2026-11-29T00:00:02Z', 'changed-at': '2026-11-29T00:00:03Z' }),
  task('c', { 'task-sendTo': 'energy', type: 'energy_saving', 'fulfillment-required': true, 'created-at': '2026-11-29T00:00:03Z', 'changed-at': '2026-11-29T00:20:05Z' }),
];
const around = { me: 'ann', now: Date.parse('2026-11-29T00:20:10Z'), aliases: new Map([['energy', 'Green – Wireless']]), talks: new Map() };
const names = (query: string) => found(tasks, read(query), around).map((it) => it['task-id']).join('');

test('a text is looked for in what a task is and is about, and in what its parties are called', () => {
  expect(names('text=LODZ')).toBe('a');
  expect(names('text=the+mast')).toBe('a');
  expect(names('text=green')).toBe('c');
  expect(names('text=energy_s')).toBe('c');
});

test('words are read once, and again once they are others', () => {
  const look = (text: string, all: Task[]) => found(all, read(`text=${text}`), around).length;
  const mast = task('d', { content: '##task description\nThe mast' });
  vi.mocked(what).mockClear();
  expect(look('mast', [mast])).toBe(1);
  expect(look('mast', [{ ...mast, 'task-status': 'finished' }])).toBe(1);
  expect(what).toHaveBeenCalledTimes(1);
  expect(look('crane', [{ ...mast, content: '##task description\nThe crane' }])).toBe(1);
  // What was there no more is read anew.
  look('', []);
  look('mast', [mast]);
  expect(what).toHaveBeenCalledTimes(3);
});

test('tasks are told apart by whose they are, what they are part of, and when', () => {
  expect(names('')).toBe('acb');
  expect(names('mine=1')).toBe('ac');
  expect(names('agent=bob')).toBe('b');
  expect(names('whole=1')).toBe('ac');
  expect(names('negotiated=1')).toBe('c');
  const talks = new Map([['b', 1]]);
  expect(found(tasks, read('negotiated=1'), { ...around, talks }).map((it) => it['task-id'])).toEqual(['c', 'b']);
  expect(names('within=600')).toBe('ac');
  expect(names('order=newest')).toBe('cba');
  expect(names('order=oldest&type=energy_saving')).toBe('c');
});

test('what is looked for stands in the address, and nothing else', () => {
  expect(written(read(''))).toBe('');
  expect(written(read('?text=a+%26+b&other=1&order=oldest'))).toBe('?text=a+%26+b&order=oldest');
});

test('what cannot be is not asked for', () => {
  expect(written(read('state=lost&within=soon&order=constructor'))).toBe('');
  expect(written(read('state=failed&within=3600&order=newest&agent=gone'))).toBe('?state=failed&agent=gone&within=3600&order=newest');
});
