// What was said of the tasks of a whole: asked for when it is looked at, and again for those that have changed.
import type { Reply } from '../acting';
import type { Task } from '../platform.svelte';
import { carryOut, read } from '../restconf';

export interface Exchange {
  id: string;
  'task-id'?: string;
  sendFrom: string;
  sendTo: string;
  commuType?: string;
  'request-info'?: { content?: string; time?: string };
  'response-info'?: { dataParam?: string; time?: string };
}

/** Of how many tasks of a whole words are asked for. */
export const THREADS_MAX = 50;
const PAGES_MAX = 10;

export class Threads {
  /** By task, in the order in which it was said. */
  of = $state.raw(new Map<string, Exchange[]>());
  error = $state.raw<Error>();
  #seen = new Map<string, string>();

  /** Asks for what is not known yet of these tasks. */
  async look(tasks: Task[]): Promise<void> {
    const news = tasks.slice(0, THREADS_MAX).filter((task) => this.#seen.get(task['task-id']) !== stamp(task));
    for (const task of news) this.#seen.set(task['task-id'], stamp(task));
    await Promise.all(
      news.map(async (task) => {
        const name = task['task-id'];
        try {
          const told = await thread(name);
          this.of = new Map(this.of).set(name, told);
          this.error = undefined;
        } catch (error) {
          this.#seen.delete(name);
          this.error = error as Error;
        }
      }),
    );
  }
}

function stamp(task: Task): string {
  return `${task['changed-at']} ${task['task-status']}`;
}

async function thread(task: string): Promise<Exchange[]> {
  const all: Exchange[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const told: { context?: Exchange[]; next?: string } = await carryOut('convoke-registry:get-context', {
      'task-id': task,
      ...(after ? { after } : {}),
    });
    all.push(...(told.context ?? []));
    after = told.next;
    if (!after) break;
  }
  return all;
}

/** What was answered; nothing if there is no answer, or none that the user may read. */
export async function answered(exchange: Exchange): Promise<Reply | undefined> {
  const name = exchange['response-info']?.dataParam;
  if (!name) return undefined;
  const told = await read<{ data?: string }[]>(`irtf-agent:data-params=${encodeURIComponent(name)}`);
  try {
    return JSON.parse(told?.[0]?.data ?? '') as Reply;
  } catch {
    // A long answer is read by data-read; here it is not shown.
    return undefined;
  }
}

export interface Turn {
  round: number;
  by: 'publisher' | 'executor';
  stance: string;
  content?: string[];
  refusal?: { reason: string; path?: string; message?: string }[];
  alternative?: number;
  time?: string;
}

export interface Negotiation {
  kind: string;
  state: string;
  publisher: string;
  executor: string;
  'round-limit'?: number;
  'answer-by'?: string;
  turn?: Turn[];
}

/** What publisher and executor of a task negotiated, round by round. */
export async function negotiations(task: string): Promise<Negotiation[]> {
  const path = `convoke-registry:registry/task=${encodeURIComponent(task)}?fields=task-id;negotiation`;
  const told = await read<{ negotiation?: Negotiation[] }[]>(path);
  return told?.[0]?.negotiation ?? [];
}

/** The alternatives that the executor offered last, if it has offered anything. */
export function offered(negotiation: Negotiation | undefined): string[] {
  const turns = negotiation?.turn?.filter((turn) => turn.by === 'executor' && turn.stance === 'offer');
  return turns?.at(-1)?.content ?? [];
}
