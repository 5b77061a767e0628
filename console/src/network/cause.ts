// Why an element is as it is: the cause that tasks name, found or only suspected, and how far its repair is. Tasks say
// it in their payloads (`cause` and `element` of a repair, `suspected_cause` and `target` of a diagnosis). Pure.
import { hasEnded } from '../acting';
import type { Task } from '../platform.svelte';
import { payload, what } from './done';
import { owner, type Element } from './elements';

export interface Cause {
  /** What is broken, and how. */
  element: string;
  cause: string;
  /** Found: somebody repairs it. Suspected: somebody diagnoses it. */
  isFound: boolean;
  /** What the task says that this touches: the sites that are out because of it. */
  touches: Set<string>;
  /** When that was said. */
  at: string;
  task: Task;
}

function told(task: Task): Cause | undefined {
  // There may be many, most of which say no cause.
  if (hasEnded(task) || !task.content?.includes('cause"')) return undefined;
  const said = payload(task);
  const text = (name: string) => (typeof said[name] === 'string' ? (said[name] as string) : undefined);
  const isFound = text('element') !== undefined && text('cause') !== undefined;
  const element = isFound ? text('element') : text('target');
  const cause = isFound ? text('cause') : text('suspected_cause');
  if (!element || !cause) return undefined;
  // Other suspicions have parts of their own, and are not meant.
  const named = Object.values(said).flatMap((it) => (Array.isArray(it) ? it : [it]));
  const touches = new Set(named.filter((it): it is string => typeof it === 'string'));
  return { element, cause, isFound, touches, at: task['created-at'] ?? task['changed-at'] ?? '', task };
}

/** Whether somebody was sent: the plan that was agreed on names a crew. */
export function isSent({ isFound, task }: Cause): boolean {
  return isFound && typeof payload({ ...task, content: task.plan })['crew'] === 'string';
}

/** What its executor announced last, as when somebody arrives; nothing if that is only what was asked for or agreed on. */
export function announced(task: Task): string {
  const said = what({ ...task, content: task.said });
  return [task.content, task.plan].some((content) => what({ ...task, content }) === said) ? '' : said;
}

/** What open tasks say is broken: what was found before what is suspected, the oldest first: whoever looks again finds the same. */
export function causes(tasks: Iterable<Task>): Cause[] {
  const found = [...tasks].flatMap((task) => told(task) ?? []);
  return found.sort((a, b) => +b.isFound - +a.isFound || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Why an element is as it is: what is said of itself or of what it is built into, or else what is said to touch it. */
export function cause(all: Map<string, Element>, found: Cause[], id: string): Cause | undefined {
  const own = new Set([id, all.get(id)?.parent ?? id, owner(all, id)]);
  return found.find((it) => own.has(it.element)) ?? found.find((it) => [...own].some((one) => it.touches.has(one)));
}
