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
}

/** What a task says of itself, in which a text is looked for: its words are read once. */
const said = new WeakMap<Task, string>();

function saying(task: Task): string {
  const known = said.get(task);
  if (known !== undefined) return known;
  const text = [task['task-id'], task.type ?? '', subject(task), what(task)].join('\n').toLowerCase();
  said.set(task, text);
  return text;
}

/** The tasks that are looked for, in their order. */
export function found(tasks: Iterable<Task>, filter: Filter, { me, now, aliases }: Around): Task[] {
  const wanted = filter.text.toLowerCase();
  const since = filter.within ? now - Number(filter.within) * 1_000 : -Infinity;
  const matches = [...tasks].filter((task) => {
    const parties = [task['task-sendFrom'], task['task-sendTo']];
    return (
      (!filter.state || task['task-status'] === filter.state) &&
      (!filter.agent || parties.includes(filter.agent)) &&
      (!filter.type || task.type === filter.type) &&
      (!filter.mine || parties.includes(me)) &&
      (!filter.whole || !task['parent-task']) &&
      (!filter.negotiated || task['fulfillment-required'] === true || task.plan !== undefined) &&
      (!filter.within || Date.parse(task['changed-at'] ?? '') >= since) &&
      (!wanted || saying(task).includes(wanted) || parties.some((it) => [it, aliases.get(it) ?? ''].some((name) => name.toLowerCase().includes(wanted))))
    );
  });
  const moment = filter.order ? 'created-at' : 'changed-at';
  const sign = filter.order === 'oldest' ? -1 : 1;
  return matches.sort((a, b) => sign * (b[moment] ?? '').localeCompare(a[moment] ?? ''));
}
