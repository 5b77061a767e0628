// Which tasks are looked for, and in which order: as it stands in the address. Pure.
import { subject, what } from '../network/done';
import type { Task } from '../platform.svelte';
import { STATES } from '../states';

const NAMES = ['text', 'state', 'agent', 'type', 'mine', 'whole', 'negotiated', 'within', 'order'] as const;

/** What is empty may be anything; of flags anything that is said is a yes. */
export type Filter = Record<(typeof NAMES)[number], string>;

/** The orders in which tasks are listed beside that of their last change, which comes first. */
export const ORDERS = ['newest', 'oldest'] as const;

/** Within which time a task changed, in seconds. */
export const WITHIN = ['600', '3600', '86400'] as const;

/** Of what there are few, all that may be said. */
const KNOWN: Partial<Record<string, readonly string[]>> = { state: Object.keys(STATES), within: WITHIN, order: ORDERS };

/** As somebody may have written it by hand: what cannot be is not asked for. */
export function read(query: string): Filter {
  const said = new URLSearchParams(query);
  const taken = (name: string, value: string) => (KNOWN[name]?.includes(value) === false ? '' : value);
  return Object.fromEntries(NAMES.map((name) => [name, taken(name, said.get(name) ?? '')])) as Filter;
}

/** As it stands in the address: what is not asked for is not there. */
export function written(filter: Filter): string {
  const said = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
  return said && `?${said}`;
}

/** In whose name it is looked for, and at what time; and what somebody is called. */
export interface Around {
  me: string;
  now: number;
  aliases: Map<string, string>;
  /** The tasks that were negotiated, as far as that is known beside what they say themselves. */
  talks: Map<string, unknown>;
}

/** What tasks say of themselves, by name: words are read once, however often it is told how the task stands. */
const said = new Map<string, { content: string; text: string }>();

/** In what a text is looked for. */
function saying(task: Task): string {
  const { 'task-id': name, content = '', type = '' } = task;
  let known = said.get(name);
  if (known?.content !== content) {
    known = { content, text: [subject(task), what(task)].join('\n').toLowerCase() };
    said.set(name, known);
  }
  return `${name}\n${type}\n`.toLowerCase() + known.text;
}

/** What is there no more is forgotten. */
function forget(tasks: Task[]): void {
  if (said.size <= tasks.length) return;
  const there = new Set(tasks.map((task) => task['task-id']));
  for (const name of said.keys()) if (!there.has(name)) said.delete(name);
}

/** The tasks that are looked for, in their order. */
export function found(tasks: Iterable<Task>, filter: Filter, { me, now, aliases, talks }: Around): Task[] {
  const wanted = filter.text.toLowerCase();
  const since = filter.within ? now - Number(filter.within) * 1_000 : -Infinity;
  const all = [...tasks];
  forget(all);
  const matches = all.filter((task) => {
    const parties = [task['task-sendFrom'], task['task-sendTo']];
    return (
      (!filter.state || task['task-status'] === filter.state) &&
      (!filter.agent || parties.includes(filter.agent)) &&
      (!filter.type || task.type === filter.type) &&
      (!filter.mine || parties.includes(me)) &&
      (!filter.whole || !task['parent-task']) &&
      (!filter.negotiated || task['fulfillment-required'] === true || task.plan !== undefined || talks.has(task['task-id'])) &&
      (!filter.within || Date.parse(task['changed-at'] ?? '') >= since) &&
      (!wanted || saying(task).includes(wanted) || parties.some((it) => [it, aliases.get(it) ?? ''].some((name) => name.toLowerCase().includes(wanted))))
    );
  });
  const moment = filter.order ? 'created-at' : 'changed-at';
  const sign = filter.order === 'oldest' ? -1 : 1;
  return matches.sort((a, b) => sign * (b[moment] ?? '').localeCompare(a[moment] ?? ''));
}
