// What cancelling many tasks hits: those that can be, with the parts that end with them, and those that cannot. Pure.
import { acts, hasEnded, type Actor } from '../acting';
import type { Task } from '../platform.svelte';
import { byWhole, flat, grow } from './tree';

export interface Hit {
  /** To be cancelled, each by a message of its own. */
  tasks: Task[];
  /** Open parts of those, which end with them. */
  parts: Task[];
  /** Marked, but over by now, or not the user's to end. */
  spared: Task[];
}

export function hit(tasks: Map<string, Task>, names: string[], actor: Actor): Hit {
  const marked = names.flatMap((name) => tasks.get(name) ?? []);
  const may = marked.filter((task) => acts(task, actor).includes('cancel'));
  const spared = marked.filter((task) => !may.includes(task));
  const below = new Map<string, Task>();
  const parts = byWhole(tasks);
  for (const task of may) {
    for (const { task: part } of flat(grow(task, parts)).slice(1)) if (!hasEnded(part)) below.set(part['task-id'], part);
  }
  // A part that was marked as well ends with its whole.
  const within = may.filter((task) => !below.has(task['task-id']));
  return { tasks: within, parts: [...below.values()], spared };
}

/** Does something to each of many, a few at a time; it is told of each when it is done. */
export async function each<T>(all: T[], atOnce: number, act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const work = async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, work));
}
