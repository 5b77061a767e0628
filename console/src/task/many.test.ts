import { expect, test } from 'vitest';
import type { Actor } from '../acting';
import type { Task } from '../platform.svelte';
import { each, hit } from './many';

const ann: Actor = { name: 'ann', isAdministrator: false, operations: new Set(['irtf-agent:task-negotiate']) };
const task = (name: string, change: Partial<Task> = {}): [string, Task] => [
  name,
  { 'task-id': name, 'task-sendFrom': 'ann', 'task-sendTo': 'b', 'task-status': 'processing', ...change },
];

test('a preview names what ends, what ends with it, and what does not', () => {
  const tasks = new Map([
    task('w'),
    task('p', { 'parent-task': 'w', 'task-sendFrom': 'b' }),
    task('done', { 'parent-task': 'w', 'task-status': 'finished' }),
    task('q', { 'parent-task': 'p' }),
    task('other', { 'task-sendFrom': 'bob' }),
    task('over', { 'task-status': 'failed' }),
  ]);
  const names = (of: Task[]) => of.map((it) => it['task-id']);
  const found = hit(tasks, ['w', 'q', 'other', 'over', 'gone'], ann);
  expect(names(found.tasks)).toEqual(['w']);
  expect(names(found.parts)).toEqual(['p', 'q']);
  expect(names(found.spared)).toEqual(['other', 'over']);
});

test('many are done a few at a time, each once', async () => {
  let now = 0;
  let most = 0;
  const done: number[] = [];
  await each([1, 2, 3, 4, 5, 6, 7], 3, async (one) => {
    most = Math.max(most, (now += 1));
    await Promise.resolve();
    done.push(one);
    now -= 1;
  });
  expect(most).toBe(3);
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
