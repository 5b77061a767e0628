// What was said of the tasks of a whole: asked for when it is looked at, and again for those that have changed.
import type { Reason, Reply, Told } from '../acting';
import { paced } from '../paced';
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
/** How much is kept of what was said of a task, what was said last. */
export const EXCHANGES_MAX = 1_000;
const PAGE = 1_000;

/** What was said of a task, in that order, and how much was said before. */
export interface Thread {
  exchanges: Exchange[];
  leftOut: number;
}

export class Threads {
  /** By task, in the order in which it was said. */
  of = $state.raw(new Map<string, Exchange[]>());
  leftOut = $state.raw(new Map<string, number>());
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
          const told = await thread((input) => carryOut('convoke-registry:get-context', input), name);
          // An answer to what was asked before is not taken for what is asked now.
          if (this.#seen.get(name) !== stamp(task)) return;
          this.of = new Map(this.of).set(name, told.exchanges);
          this.leftOut = new Map(this.leftOut).set(name, told.leftOut);
          this.error = undefined;
        } catch (error) {
          if (this.#seen.get(name) === stamp(task)) this.#seen.delete(name);
          this.error = error as Error;
        }
      }),
    );
  }
}

function stamp(task: Task): string {
  return `${task['changed-at']} ${task['task-status']}`;
}

/** What was said of a task, of which pages begin with the oldest: they are read to the end, and the last is kept. */
export async function thread(
  page: (input: object) => Promise<{ context?: Exchange[]; next?: string }>,
  task: string,
): Promise<Thread> {
  let exchanges: Exchange[] = [];
  let leftOut = 0;
  let after: string | undefined;
  do {
    const told = await page({ 'task-id': task, limit: PAGE, ...(after ? { after } : {}) });
    exchanges.push(...(told.context ?? []));
    const beyond = Math.max(0, exchanges.length - EXCHANGES_MAX);
    exchanges = exchanges.slice(beyond);
    leftOut += beyond;
    after = told.next;
  } while (after);
  return { exchanges, leftOut };
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
  refusal?: Reason[];
  alternative?: number;
  time?: string;
}

export interface Negotiation {
  kind: string;
  state: string;
  publisher: string;
  executor: string;
  /** The round in which it was opened last, from which rounds are counted. */
  opened?: number;
  'round-limit'?: number;
  'answer-by'?: string;
  turn?: Turn[];
}

/** How a task stands: which of its changes it is at, and what its parties negotiated, round by round. */
export interface Standing {
  version?: string;
  /** When the publisher's silence ends it. */
  until?: string;
  rounds: Negotiation[];
}

/** How a task stands now, or before there is one its feasibility; nothing if the user may not read it. */
export async function standing(task: string, isFeasibility = false): Promise<Standing | undefined> {
  const name = encodeURIComponent(task);
  if (isFeasibility) {
    const told = await read<Negotiation[]>(`convoke-registry:registry/negotiation=${name},feasibility`);
    return told && { rounds: told };
  }
  const path = `convoke-registry:registry/task=${name}?fields=task-id;task-version;answer-by;negotiation`;
  const told = await read<{ 'task-version'?: string; 'answer-by'?: string; negotiation?: Negotiation[] }[]>(path);
  return told?.[0] && { version: told[0]['task-version'], until: told[0]['answer-by'], rounds: told[0].negotiation ?? [] };
}

const APART_MS = 1_000;

/** How something stands that is looked at: an answer changes nothing that is older than what is shown. */
export class Look {
  standing = $state.raw<Standing>();
  /** Why the last look failed. */
  error = $state.raw<Error>();
  #looks = 0;
  #shown = 0;

  constructor(
    readonly task: string,
    readonly isFeasibility = false,
  ) {}

  /** Looks how it stands now. */
  now = async (): Promise<Standing | undefined> => {
    this.#looks += 1;
    const mine = this.#looks;
    try {
      const told = await standing(this.task, this.isFeasibility);
      if (mine > this.#shown) [this.#shown, this.standing, this.error] = [mine, told, undefined];
      return told;
    } catch (error) {
      if (mine > this.#shown) this.error = error as Error;
      throw error;
    }
  };

  /** Something may have changed: looks again, once a second at most. */
  news = paced(() => this.now().then(() => {}, () => {}), APART_MS);
}

/** The round in which a side, usually the publisher, would speak now: that of the other's last turn, or else the next. */
export function round(of: Standing | undefined, kind: string, by: Turn['by'] = 'publisher'): number | undefined {
  if (!of) return undefined;
  const negotiation = of.rounds.find((it) => it.kind === kind);
  const last = Math.max(0, ...(negotiation?.turn ?? []).map((turn) => turn.round));
  const spoke = negotiation?.turn?.some((turn) => turn.round === last && turn.by === by);
  return negotiation?.state === 'open' && last > 0 && !spoke ? last : last + 1;
}

/** What a refusal by a side does: ends the negotiation whatever the round is, ends it since the round is its last, or neither. */
export type Ends = 'at-once' | 'last' | 'goes-on';

/** What a refusal by a side in a round would do, as the platform decides it; that it goes on, where that is not known. */
export function endsBy(talk: Negotiation | undefined, side: Turn['by'], round: number | undefined): Ends {
  if (!talk) return 'goes-on';
  // Only an executor goes on after its offer was refused, and that before a task not either.
  if (side === 'executor' || talk.kind === 'feasibility') return 'at-once';
  const { opened, 'round-limit': limit } = talk;
  if (round === undefined || opened === undefined || limit === undefined) return 'goes-on';
  // A round is over once both have spoken in it.
  const isAnswer = talk.turn?.some((turn) => turn.round === round && turn.by !== side) ?? false;
  return isAnswer && round - opened + 1 >= limit ? 'last' : 'goes-on';
}

/** The round of what the other side offers and this one has not answered; none if there is nothing to answer. */
export function awaited(talk: Negotiation | undefined, side: Turn['by'] = 'publisher'): number | undefined {
  const last = talk?.turn?.at(-1);
  return last && talk?.state === 'open' && last.by !== side && last.stance === 'offer' ? last.round : undefined;
}

/** The round of what the other side has offered after an act: it overtakes what came of that; none if nothing has. */
export function overtaken(told: Told, talk: Negotiation | undefined, side?: Turn['by']): number | undefined {
  const round = awaited(talk, side);
  return round && told.isDone && told.reply?.verdict !== 'refused' && round > (told.round ?? NaN) ? round : undefined;
}

/** What a side offered last, if it has offered anything. */
export function offered(negotiation: Negotiation | undefined, by: Turn['by'] = 'executor'): Turn | undefined {
  return negotiation?.turn?.filter((turn) => turn.by === by && turn.stance === 'offer').at(-1);
}
