// A whole task: the one that is part of no other, its parts, and theirs. Pure.
import type { Task } from '../platform.svelte';

export interface Node {
  task: Task;
  depth: number;
  parts: Node[];
}

/** More is not drawn. */
export const NODES_MAX = 200;

/** The whole to which a task belongs; nothing if it is not known. */
export function whole(tasks: Map<string, Task>, name: string): Node | undefined {
  let root = tasks.get(name);
  if (!root) return undefined;
  const passed = new Set<string>();
  for (let above = root; above; above = tasks.get(above['parent-task'] ?? '')!) {
    if (passed.has(above['task-id'])) break;
    passed.add(above['task-id']);
    root = above;
  }
  return grow(root, byWhole(tasks));
}

/** The parts of each task that has any, oldest first. */
export function byWhole(tasks: Map<string, Task>): Map<string, Task[]> {
  const parts = new Map<string, Task[]>();
  for (const task of tasks.values()) {
    const above = task['parent-task'];
    if (!above) continue;
    const known = parts.get(above);
    if (known) known.push(task);
    else parts.set(above, [task]);
  }
  for (const all of parts.values()) all.sort((a, b) => began(a).localeCompare(began(b)));
  return parts;
}

/** A task with all below it. */
export function grow(task: Task, parts: Map<string, Task[]>): Node {
  const drawn = new Set<string>();
  const grown = (task: Task, depth: number): Node => {
    drawn.add(task['task-id']);
    const node: Node = { task, depth, parts: [] };
    for (const part of parts.get(task['task-id']) ?? []) {
      if (!drawn.has(part['task-id']) && drawn.size < NODES_MAX) node.parts.push(grown(part, depth + 1));
    }
    return node;
  };
  return grown(task, 0);
}

/** A task and all above it within its whole, by name, itself first. */
export function above(nodes: Node[], name: string): string[] {
  const over = nodes.find((node) => node.parts.some((part) => part.task['task-id'] === name));
  return over ? [name, ...above(nodes, over.task['task-id'])] : [name];
}

/** A node, and all below it, in the order in which they are drawn. */
export function flat(node: Node): Node[] {
  return [node, ...node.parts.flatMap(flat)];
}

function began(task: Task): string {
  return task['created-at'] ?? '';
}
