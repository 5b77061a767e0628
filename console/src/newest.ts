// The tasks that changed last, out of pages that begin with the oldest. It asks by what it is given, and keeps no more
// than it is told to. Read next: platform.svelte.ts.
import type { Task } from './platform.svelte';

/** What is asked: a page of tasks, or their number. */
export interface Asked {
  page(input: object): Promise<{ task?: Task[]; next?: string }>;
  count(input: object): Promise<number>;
}

export interface Newest {
  /** In the order in which they changed. */
  tasks: Map<string, Task>;
  /** How many older ones there are. */
  leftOut: number;
}

const PAGE = 1_000;
/** How much of each text of a task is read, in bytes; all of it stands among what was said of the task. */
const TEXT_MAX = 16_384;
/** How many characters of words are kept of all tasks together: whoever assigns a lot leaves room for what is newer. */
export const WORDS_MAX = 32 << 20;

const long = (task: Task | undefined) => [task?.content, task?.plan, task?.['expected-response']].reduce((sum, it) => sum + (it?.length ?? 0), 0);

/** The tasks that changed last, at most so many; of those since a moment, if one is given. */
export async function newest(asked: Asked, most: number, since?: string): Promise<Newest> {
  const all = await asked.count(since ? { since } : {});
  const tasks = new Map<string, Task>();
  let from = all > most ? await beginning(asked, most, since) : since;
  let after: string | undefined;
  let kept = 0;
  for (;;) {
    const page = await asked.page({ limit: PAGE, 'text-limit': TEXT_MAX, ...(from ? { since: from } : {}), ...(after ? { after } : {}) });
    for (const task of page.task ?? []) {
      kept += long(task) - long(tasks.get(task['task-id']));
      tasks.delete(task['task-id']);
      tasks.set(task['task-id'], task);
    }
    for (const [oldest, task] of tasks) {
      if (tasks.size <= most && kept <= WORDS_MAX) break;
      kept -= long(task);
      tasks.delete(oldest);
    }
    if (!page.next) break;
    // On by time: were the last entry to change meanwhile, what follows it would not be what followed it here. By entry
    // only where a whole page is of one moment.
    const last = page.task?.at(-1)?.['changed-at'];
    [from, after] = last && last !== from ? [last, undefined] : [from, page.next];
  }
  return { tasks, leftOut: Math.max(0, all - tasks.size) };
}

/** A moment since which more than `most` changed, and hardly more: from the oldest on in growing steps, then by halves. */
async function beginning(asked: Asked, most: number, since?: string): Promise<string | undefined> {
  const oldest = await asked.page({ limit: 1, ...(since ? { since } : {}) });
  let low = Date.parse(oldest.task?.[0]?.['changed-at'] ?? '');
  if (Number.isNaN(low)) return since;
  const count = (at: number) => asked.count({ since: moment(at) });
  let high = low;
  for (let step = 1_000; high === low; step *= 8) {
    if ((await count(low + step)) > most) low = high = low + step;
    else high = low + step;
  }
  for (let found = Infinity; high - low > 1 && found > most * 1.05; ) {
    const middle = Math.floor((low + high) / 2);
    const here = await count(middle);
    if (here > most) [low, found] = [middle, here];
    else high = middle;
  }
  return moment(low);
}

function moment(at: number): string {
  return new Date(at).toISOString();
}
