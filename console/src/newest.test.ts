import { expect, test } from 'vitest';
import { newest, WORDS_MAX, type Asked } from './newest';
import type { Task } from './platform.svelte';

const task = (name: string, at: number): Task => ({
  'task-id': name,
  'task-sendFrom': 'a',
  'task-sendTo': 'b',
  'task-status': 'finished',
  'changed-at': new Date(at).toISOString(),
});

/** A platform with these tasks, which answers as get-tasks does. */
class Platform implements Asked {
  counted = 0;
  pages = 0;
  /** Happens once a page was answered. */
  then: (page: number) => void = () => {};
  constructor(readonly tasks: Task[]) {}

  #since(input: object): Task[] {
    const since = Date.parse((input as { since?: string }).since ?? '1970-01-01T00:00:00Z');
    const of = (it: Task) => Date.parse(it['changed-at']!);
    return this.tasks.filter((it) => of(it) >= since).sort((a, b) => of(a) - of(b));
  }
  async count(input: object): Promise<number> {
    this.counted += 1;
    return this.#since(input).length;
  }
  async page(input: object): Promise<{ task?: Task[]; next?: string }> {
    const { limit, after } = input as { limit: number; after?: string };
    const all = this.#since(input);
    const from = after ? all.findIndex((it) => it['task-id'] === after) + 1 : 0;
    const found = all.slice(from, from + limit).map((it) => ({ ...it }));
    this.pages += 1;
    this.then(this.pages);
    return { task: found, ...(from + limit < all.length ? { next: found.at(-1)!['task-id'] } : {}) };
  }
}

const many = (count: number, at: (n: number) => number) => Array.from({ length: count }, (_, n) => task(`t${n}`, at(n)));
const last = (count: number, of: number) => Array.from({ length: of }, (_, n) => `t${count - of + n}`);

test('the newest are kept, in their order, wherever most of them are', async () => {
  const shapes = [
    (n: number) => n * 60_000,
    (n: number) => 1e12 + (n < 9_990 ? n : n * 1e7),
    (n: number) => 1e12 + Math.floor(n / 4_000),
    () => 1e12,
  ];
  for (const at of shapes) {
    const platform = new Platform(many(10_000, at));
    const found = await newest(platform, 2_500);
    expect([...found.tasks.keys()]).toEqual(last(10_000, 2_500));
    expect(found.leftOut).toBe(7_500);
    expect(platform.counted).toBeLessThan(60);
  }
  const platform = new Platform(many(10_000, (n) => n * 60_000));
  await newest(platform, 2_500);
  expect(platform.pages).toBeLessThan(6);
});

test('where all are kept nothing is left out', async () => {
  const platform = new Platform(many(2_600, (n) => n));
  expect(await newest(platform, 2_600)).toMatchObject({ leftOut: 0 });
  expect((await newest(platform, 2_600, new Date(2_000).toISOString())).tasks.size).toBe(600);
  expect(await newest(new Platform([]), 5)).toEqual({ tasks: new Map(), leftOut: 0 });
});

test('a task that changes between two pages hides no other', async () => {
  const platform = new Platform(many(3_000, (n) => n));
  platform.then = (page) => {
    if (page === 1) platform.tasks[999] = task('t999', 1e6);
  };
  const found = await newest(platform, 5_000);
  expect(found.tasks.size).toBe(3_000);
  expect([...found.tasks.keys()].at(-1)).toBe('t999');
});

test('long words leave room for what is newer', async () => {
  const all = many(10, (n) => n).map((it) => ({ ...it, content: 'x'.repeat(WORDS_MAX / 4) }));
  const found = await newest(new Platform(all), 100);
  expect([...found.tasks.keys()]).toEqual(last(10, 4));
  expect(found.leftOut).toBe(6);
});
