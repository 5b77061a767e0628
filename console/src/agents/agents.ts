// Agents as their pages show them: which are looked for, what each works on, how busy its mailbox is. Pure.
// Read next: Agents.svelte, all of them; Agent.svelte, one.
import { hasEnded } from '../acting';
import type { Agent, Skill, Task } from '../platform.svelte';

/** Of an agent that is hosted: what it has to step on, and how long its steps take (convoke-usage, `agent`). */
export interface Mailbox {
  name: string;
  waiting?: number;
  'waiting-time'?: string;
  'step-since'?: string;
  steps?: string;
  'step-time'?: string;
  failed?: string;
}

/** What is said of a mailbox: what it holds, that it is elsewhere, not the user's to read, not told of, or not known yet. */
export type Heard = 'box' | 'elsewhere' | 'denied' | 'untold' | 'asked' | 'failed';

/** What is said of the mailbox of an agent, by how it is reached and what came of reading the usage. */
export function heard(box: Mailbox | undefined, reach: string | undefined, usage: { isKnown: boolean; value?: object; error?: Error }): Heard {
  if (box) return 'box';
  if (reach && reach !== 'hosted') return 'elsewhere';
  if (usage.isKnown) return usage.value ? 'untold' : 'denied';
  return usage.error ? 'failed' : 'asked';
}

/** With more of them, there is a filter. */
export const FILTER_FROM = 20;

/** Those of a domain, if one is chosen, of whom a text says something; by the names by which they are called. */
export function found(agents: Agent[], text: string, domain: string): Agent[] {
  const wanted = text.trim().toLowerCase();
  const words = (it: Agent) => [it.name, it.alias, it.description, it.type, it.provider, it['management-object'], ...skills(it).map((skill) => skill['skill-name'])];
  return agents
    .filter((it) => !domain || it.domain === domain)
    .filter((it) => !wanted || words(it).some((word) => word?.toLowerCase().includes(wanted)))
    .sort((a, b) => (a.alias ?? a.name).localeCompare(b.alias ?? b.name));
}

export function skills(agent: Agent): Skill[] {
  return agent.skills?.skill ?? [];
}

/** What an agent has to do with tasks: those that it carries out or has assigned and that are open, and those it ended. */
export interface Work {
  executing: Task[];
  assigned: Task[];
  ended: Task[];
}

const NOTHING: Work = { executing: [], assigned: [], ended: [] };

/** The work of everybody who has any; in each, what changed last is first. */
export function works(tasks: Iterable<Task>): Map<string, Work> {
  const all = new Map<string, Work>();
  const of = (name: string): Work => {
    const known = all.get(name);
    if (known) return known;
    const made = { executing: [], assigned: [], ended: [] };
    all.set(name, made);
    return made;
  };
  for (const task of tasks) {
    const executor = of(task['task-sendTo']);
    if (hasEnded(task)) executor.ended.push(task);
    else {
      executor.executing.push(task);
      of(task['task-sendFrom']).assigned.push(task);
    }
  }
  const changed = (task: Task) => task['changed-at'] ?? '';
  for (const work of all.values()) {
    for (const list of Object.values(work) as Task[][]) list.sort((a, b) => (changed(a) < changed(b) ? 1 : changed(a) > changed(b) ? -1 : 0));
  }
  return all;
}

export function work(all: Map<string, Work>, name: string): Work {
  return all.get(name) ?? NOTHING;
}

/** How long a step takes in the mean, in milliseconds; nothing before the first has ended. */
export function meanStep(box: Mailbox): number | undefined {
  const steps = Number(box.steps ?? 0);
  return steps > 0 && box['step-time'] !== undefined ? Number(box['step-time']) / steps / 1_000 : undefined;
}
