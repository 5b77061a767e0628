// Cases: tasks that are part of no other and still open, and where each hangs. Pure.
import { hasEnded } from '../acting';
import type { Task } from '../platform.svelte';
import { byWhole } from '../task/tree';

export interface Case {
  task: Task;
  /** The part at which it is now: the deepest open one, one that waits for somebody before others. */
  hangs: Task;
  /** How many of its parts are open. */
  open: number;
}

/** Kinds of tasks that end only when somebody ends them: reports, and saving energy until told otherwise. */
const STANDING = ['fault_incident', 'energy_saving', 'service_intent'];

/** Whether a case is a standing job: of such a kind, without a term, and nothing of it is under way. */
export function isStanding({ task, open }: Pick<Case, 'task' | 'open'>): boolean {
  return STANDING.includes(task.type ?? '') && task.deadline === undefined && open === 0 && !task.awaits;
}

/** The oldest first; standing jobs last. */
export function cases(tasks: Map<string, Task>): Case[] {
  const parts = byWhole(tasks);
  const found: Case[] = [];
  for (const task of tasks.values()) {
    if (hasEnded(task) || tasks.has(task['parent-task'] ?? '')) continue;
    found.push({ task, ...where(task, parts) });
  }
  return found.sort((a, b) => +isStanding(a) - +isStanding(b) || inOrder(began(a.task), began(b.task)));
}

/** Cases that are over, the last first. */
export function closed(tasks: Map<string, Task>, most: number): Task[] {
  const found: Task[] = [];
  for (const task of tasks.values()) if (hasEnded(task) && !tasks.has(task['parent-task'] ?? '')) found.push(task);
  return found.sort((a, b) => inOrder(changed(b), changed(a))).slice(0, most);
}

function where(task: Task, parts: Map<string, Task[]>): { hangs: Task; open: number } {
  let hangs = task;
  let open = 0;
  // What says that it is a part of itself is passed once.
  const passed = new Set([task['task-id']]);
  const pass = (above: Task, isOn: boolean): void => {
    const below = (parts.get(above['task-id']) ?? []).filter((it) => !hasEnded(it) && !passed.has(it['task-id']));
    for (const it of below) passed.add(it['task-id']);
    open += below.length;
    const next = [...below].sort((a, b) => +!a.awaits - +!b.awaits || inOrder(changed(a), changed(b)))[0];
    if (isOn && next) hangs = next;
    for (const it of below) pass(it, isOn && it === next);
  };
  pass(task, true);
  return { hangs, open };
}

const began = (task: Task) => task['created-at'] ?? task['changed-at'] ?? '';
const changed = (task: Task) => task['changed-at'] ?? '';
/** Of moments as the platform writes them, which need no rules of a language: there may be many. */
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
