// What was done to an element, and by whom: the tasks about it. Pure.
import type { Task } from '../platform.svelte';
import { sections, words } from '../words';

/** The most tasks that are shown of one element. */
export const DONE_MAX = 50;

/** How far behind a name it is looked whether it goes on. */
const AFTER_MAX = 64;

/** Whether a text names an element: as a whole, not as the beginning of a longer name. */
export function isNamed(text: string, id: string): boolean {
  // What has neither is no name.
  if (!/[\p{L}\p{N}]/u.test(id)) return false;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const [before, after] = [text[at - 1] ?? '', text.slice(at + id.length, at + id.length + AFTER_MAX)];
    // A name goes on with a letter, a digit or `/`, or with a hyphen or dot before one of these.
    if (!/[\p{L}\p{N}]/u.test(before) && !/^[-.]*[\p{L}\p{N}/_]/u.test(after)) return true;
  }
  return false;
}

/** Whether a task is about an element: as its target object, or by its name anywhere in its words. */
export function concerns(content: string, id: string): boolean {
  if (isNamed(content, id)) return true;
  // People say `router Berlin`.
  const target = sections(content).find(([heading]) => heading === 'target object')?.[1] ?? '';
  return target.toLowerCase() === id.replace(':', ' ').toLowerCase();
}

/** The tasks about an element, the newest first. */
export function done(tasks: Iterable<Task>, id: string): Task[] {
  const found: Task[] = [];
  for (const task of tasks) if (task.content && concerns(task.content, id)) found.push(task);
  const begun = (task: Task) => task['created-at'] ?? task['changed-at'] ?? '';
  return found.sort((a, b) => begun(b).localeCompare(begun(a)));
}

/** An element as agents and people name it. */
const ELEMENT = /^(router|card|link|duct|site|zone|optic|cell):\S+$/;

/**
 * What a task is about: its target object, and beside the number of a ticket or the like the element that its payload
 * names; nothing if it says neither.
 */
export function subject(task: Task): string {
  const target = sections(task.content ?? '').find(([heading]) => heading === 'target object')?.[1] ?? '';
  if (!target || ELEMENT.test(target)) return target;
  const named = Object.values(payload(task)).find((value) => typeof value === 'string' && ELEMENT.test(value));
  return named === undefined ? target : `${String(named)} (${target})`;
}

/** The payload of a task, key by key; none if it has none that can be read. */
export function payload(task: Task): Record<string, unknown> {
  return words(task.content ?? '').values ?? {};
}

/** What a task is, in its own words, as far as a line has room. */
export function what(task: Task): string {
  const said = sections(task.content ?? '').find(([heading]) => heading === 'task description')?.[1] ?? '';
  return said.length > WHAT_MAX ? `${said.slice(0, WHAT_MAX)}…` : said;
}

const WHAT_MAX = 160;
