// The story of a fault: what the network said, who did what about it, and when it was over. Pure: it is told anew from
// what the page knows of alarms and tasks, whatever has come. Read next: Story.svelte.
import { hasEnded } from '../acting';
import type { Alarm } from '../network/alarms';
import { concerns, isNamed } from '../network/done';
import { owner, type Element } from '../network/elements';
import type { Task } from '../platform.svelte';
import type { Exchange } from '../task/threads.svelte';
import { byWhole, flat, grow } from '../task/tree';
import type { Fault } from './faults';

/** One thing that happened. */
export type Entry = { at: string } & (
  | { what: 'broke' | 'mended' | 'restored' }
  | { what: 'raised' | 'cleared'; alarm: Alarm }
  | { what: 'said'; exchange: Exchange }
  | { what: 'begun' | 'over'; task: Task }
);

/** What is known that may belong to a story. */
export interface Known {
  elements: Map<string, Element>;
  /** Those that are cleared among them. */
  alarms: Iterable<Alarm>;
  tasks: Map<string, Task>;
}

/** The most tasks that a story is told of, the first ones. */
export const TASKS_MAX = 50;

/** What belongs to an outage is said within this time after service is back. */
const AFTERMATH_MS = 3_600_000;
/** Clocks of the network and of the platform may differ by so much. */
const SLACK_MS = 2_000;

/** Whether a moment lies in the time of a fault. */
function isDuring(fault: Fault, at: number): boolean {
  const end = fault.restored ? Date.parse(fault.restored) + AFTERMATH_MS : Infinity;
  return at >= Date.parse(fault.began) - SLACK_MS && at <= end;
}

/** The tasks about a fault, oldest first: those of its time that name its element, or what that is built into, with all of the wholes. */
export function tasksOf(fault: Fault, { elements, tasks }: Known): Task[] {
  const names = new Set([fault.element, owner(elements, fault.element)]);
  const begun = (task: Task) => Date.parse(task['created-at'] ?? task['changed-at'] ?? '');
  const parts = byWhole(tasks);
  const found = new Map<string, Task>();
  for (const task of tasks.values()) {
    if (!task.content || !isDuring(fault, begun(task))) continue;
    if (![...names].some((name) => concerns(task.content!, name))) continue;
    // Above it as far as that is of the time as well.
    let root = task;
    for (let steps = 0; steps < 16; steps += 1) {
      const above = tasks.get(root['parent-task'] ?? '');
      if (!above || !isDuring(fault, begun(above))) break;
      root = above;
    }
    for (const node of flat(grow(root, parts))) found.set(node.task['task-id'], node.task);
  }
  return [...found.values()].sort((a, b) => begun(a) - begun(b)).slice(0, TASKS_MAX);
}

/** The alarms of a fault: those raised in its time at its element, at what belongs to that or ends there, and at what its tasks name. */
export function alarmsOf(fault: Fault, about: Task[], { elements, alarms }: Known): Alarm[] {
  const own = owner(elements, fault.element);
  const ends = (elements.get(fault.element)?.ends ?? []).map((end) => owner(elements, end));
  const near = new Set([fault.element, own, ...ends]);
  // A link that ends there says what is wrong there.
  for (const it of elements.values()) if (it.ends?.some((end) => owner(elements, end) === own)) near.add(it.id);
  const words = about.map((task) => task.content ?? '').join('\n');
  const isNear = ({ resource }: Alarm) => near.has(resource) || near.has(owner(elements, resource)) || isNamed(words, resource);
  return [...alarms].filter((alarm) => isDuring(fault, Date.parse(alarm.raised)) && isNear(alarm));
}

/** All that happened, in that order. */
export function story(fault: Fault, about: Task[], alarms: Alarm[], threads: Map<string, Exchange[]>): Entry[] {
  const entries: Entry[] = [{ at: fault.began, what: 'broke' }];
  if (fault.repaired) entries.push({ at: fault.repaired, what: 'mended' });
  if (fault.restored) entries.push({ at: fault.restored, what: 'restored' });
  for (const alarm of alarms) {
    entries.push({ at: alarm.raised, what: 'raised', alarm });
    if (alarm.isCleared) entries.push({ at: new Date(alarm.changedMs).toISOString(), what: 'cleared', alarm });
  }
  for (const task of about) {
    const said = threads.get(task['task-id']) ?? [];
    for (const exchange of said) entries.push({ at: exchange['request-info']?.time ?? '', what: 'said', exchange });
    // Whoever may not read the words still sees that there is a task.
    if (said.length === 0) entries.push({ at: task['created-at'] ?? '', what: 'begun', task });
    if (hasEnded(task)) entries.push({ at: task['changed-at'] ?? '', what: 'over', task });
  }
  const moment = (entry: Entry) => Date.parse(entry.at);
  return entries.filter((it) => !Number.isNaN(moment(it))).sort((a, b) => moment(a) - moment(b));
}
