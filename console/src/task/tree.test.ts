import { expect, test } from 'vitest';
import type { Task } from '../platform.svelte';
import { above, flat, NODES_MAX, whole } from './tree';

const task = (name: string, above?: string, at = ''): [string, Task] => [
  name,
  { 'task-id': name, 'task-sendFrom': 'a', 'task-sendTo': 'b', 'task-status': 'created', 'parent-task': above, 'created-at': at },
];

test('the whole is found from any part of it, oldest parts first', () => {
  const tasks = new Map([task('w'), task('late', 'w', '2'), task('p', 'w', '1'), task('q', 'p'), task('other')]);
  for (const name of ['w', 'q']) {
    expect(flat(whole(tasks, name)!).map((it) => [it.task['task-id'], it.depth])).toEqual([
      ['w', 0],
      ['p', 1],
      ['q', 2],
      ['late', 1],
    ]);
  }
  expect(above(flat(whole(tasks, 'q')!), 'q')).toEqual(['q', 'p', 'w']);
  expect(whole(tasks, 'none')).toBeUndefined();
});

test('neither a circle nor a crowd is endless', () => {
  expect(flat(whole(new Map([task('a', 'b'), task('b', 'a')]), 'a')!).length).toBe(2);
  const many = new Map([task('w'), ...Array.from({ length: 999 }, (_, n) => task(`p${n}`, 'w'))]);
  expect(flat(whole(many, 'w')!).length).toBe(NODES_MAX);
});
