// What people decided lately themselves, as the log tells it: their turns in negotiations, and patches. Pure but for asking. Read
// next: Decided.svelte; ../replay.ts; ../schemas/history.ts.
import { later, LOOKED_MAX, pastSince } from '../replay';
import { ruled } from '../rules/history';
import { decisions, told as toldOfPatch, type Decided as DecidedPatch, type Told as ToldOfPatch } from '../schemas/history';
import type { Ruled } from '../rules/terms';
import type { Negotiation, Turn } from '../task/threads.svelte';

/** What somebody said to something that waited for him. */
export interface Decided {
  /** Its place in the log. */
  id: number;
  at: string;
  /** Of which kind, as what waits has it. */
  kind: string;
  /** The task, or the patch. */
  name: string;
  how: string;
  reason?: string;
  /** The keys of a patch. */
  keys?: string[];
}

type Notification = Record<string, unknown>;
type Told = Omit<Partial<Negotiation>, 'turn'> & { 'task-id'?: string; turn?: Partial<Turn> };

/** What waits for a side of a negotiation. */
function kindOf(negotiation: string, by: Turn['by']): string {
  if (negotiation !== 'fulfillment') return negotiation;
  return by === 'publisher' ? 'decision' : 'plan';
}

/** What became of a negotiation, as an event has it, at its place in the log. */
export interface Moved {
  id: number;
  at: string;
  told: Told;
}

export function moved(id: number, notification: Notification): Moved | undefined {
  const told = notification['convoke-negotiation:negotiation-update'] as Told | undefined;
  // What was offered is not told here.
  return told && { id, at: String(notification['eventTime'] ?? ''), told: { ...told, turn: told.turn && { ...told.turn, content: undefined } } };
}

/** By what of it the user answered; `states` has how each negotiation stood before, and is brought up to date. */
export function ofTurns(all: Moved[], user: string, states: Map<string, string>): Decided[] {
  return all.flatMap(({ id, at, told }): Decided[] => {
    const name = told['task-id'] ?? '';
    const talk = `${told.kind}/${name}`;
    const before = states.get(talk);
    states.delete(talk);
    states.set(talk, told.state ?? '');
    const turn = told.turn;
    if (!name || !turn?.by || !turn.stance || told[turn.by] !== user) return [];
    // What begins a talk, or shows a result, asks and decides nothing.
    const begins = before === undefined ? turn.round === 1 : before !== 'open';
    if (turn.stance === 'offer' && (begins || (told.kind === 'result' && turn.by === 'executor'))) return [];
    const reason = turn.refusal?.map((it) => it.message ?? it.reason).join('; ') || undefined;
    return [{ id, at, kind: kindOf(told.kind ?? '', turn.by), name, how: turn.stance, reason }];
  });
}

/** What of patches the user decided. */
export function ofPatches(all: DecidedPatch[], user: string): Decided[] {
  return all.filter((it) => it.who === user).map(({ id, at, patch, change, reason, keys }) => ({ id, at, kind: 'patch', name: patch, how: change, reason, keys }));
}

/** What rules say, they say in the name of their author at once. */
const APART_MS = 1_000;

/** Of one event, if a rule decided by it what was the user's, or in his name. */
export function ofRule(id: number, notification: Notification, user: string): Ruled | undefined {
  const it = ruled(id, notification);
  return it?.verdict && [it.author, it.decider].includes(user) ? it : undefined;
}

/** Those that no rule decided. */
export function unruled(all: Decided[], rules: Ruled[]): Decided[] {
  const moments = new Map<string, number[]>();
  for (const rule of rules) {
    const of = `${rule.kind}/${rule['task-id'] ?? rule['patch-id']}`;
    if (rule.verdict) moments.set(of, [...(moments.get(of) ?? []), Date.parse(rule.at)]);
  }
  return all.filter((it) => !moments.get(`${it.kind}/${it.name}`)?.some((at) => Math.abs(Date.parse(it.at) - at) <= APART_MS));
}

/** What happened may be told so much later. */
const LATE_MS = 10_000;

const joined = <T extends { id: number }>(old: T[], news: T[]) => [...new Map([...old, ...news].map((it) => [it.id, it])).values()];

/** What a user decided, each time asked for from where it was asked last. */
export class Lately {
  /** The last first. */
  all: Decided[] = [];
  /** How far it was asked. */
  #asked = -Infinity;
  /** Since when all is known, if too much happened before. */
  #since = -Infinity;
  #states = new Map<string, string>();
  /** The last event of a negotiation that was taken. */
  #last = 0;
  /** All that became of patches: one that waited before is refused, another ended. */
  #patches: ToldOfPatch[] = [];
  #rules: Ruled[] = [];

  constructor(
    readonly user: string,
    readonly most: number,
    readonly past = pastSince,
  ) {}

  /** Since when all is told, if before then something may be missing among those that are told. */
  get cut(): number | undefined {
    const first = this.all.length < this.most ? -Infinity : Date.parse(this.all.at(-1)!.at);
    return first < this.#since ? this.#since : undefined;
  }

  /** Asks what was decided since it was asked last, at first since `back`. */
  async look(back: number, now: number, signal: AbortSignal): Promise<void> {
    const begin = Math.max(back, this.#asked - LATE_MS);
    const [[turns, patches, rules], since] = await later(begin, now, async (from) => {
      const read = <T>(filter: string, one: (id: number, it: Notification) => T | undefined) => this.past(new Date(from).toISOString(), filter, LOOKED_MAX, one, signal);
      const turns = await read('/convoke-negotiation:negotiation-update', moved);
      const patches = await read('/convoke-schema:schema-update', toldOfPatch);
      // At last: what a rule decided is known when that is.
      return [turns, patches, await read('/convoke-policy:policy-update', (id, it) => ofRule(id, it, this.user))] as const;
    });
    if (since > begin) this.#since = since;
    this.#asked = turns.at ?? since;
    const said = ofTurns(turns.all.filter((it) => it.id > this.#last), this.user, this.#states);
    for (const oldest of [...this.#states.keys()].slice(0, -LOOKED_MAX)) this.#states.delete(oldest);
    this.#last = Math.max(this.#last, turns.all.at(-1)?.id ?? 0);
    this.#patches = joined(this.#patches, patches.all).slice(-LOOKED_MAX);
    this.#rules = joined(this.#rules, rules.all).slice(-LOOKED_MAX);
    const all = joined(this.all, [...said, ...ofPatches(decisions(this.#patches), this.user)]);
    this.all = unruled(all, this.#rules).sort((a, b) => b.id - a.id).slice(0, this.most);
  }
}

/** What was said last before what waits was waited for no more, by whoever it waited for. */
export function said(talk: Negotiation | undefined, side: Turn['by'], round: number | undefined): Turn | undefined {
  return talk?.turn?.find((turn) => turn.by === side && turn.round >= (round ?? 0));
}
