// What people decided lately themselves, as the log tells it: their turns in negotiations, and patches. Pure but for asking. Read
// next: Decided.svelte; ../replay.ts; ../schemas/history.ts.
import { lastSince } from '../replay';
import { history as rulesSince } from '../rules/history';
import { history as patchesSince, type Decided as DecidedPatch } from '../schemas/history';
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

/** Of one event, if the user spoke in a negotiation by it. */
export function ofTurn(id: number, notification: Notification, user: string): Decided | undefined {
  const told = notification['convoke-negotiation:negotiation-update'] as Told | undefined;
  const turn = told?.turn;
  if (!told?.['task-id'] || !turn?.by || !turn.stance || told[turn.by] !== user) return undefined;
  // What begins a talk of feasibility asks, and decides nothing.
  if (told.kind === 'feasibility' && turn.by === 'publisher' && turn.round === 1) return undefined;
  return { id, at: String(notification['eventTime'] ?? ''), kind: kindOf(told.kind ?? '', turn.by), name: told['task-id'], how: turn.stance, reason: turn.refusal?.map((it) => it.message ?? it.reason).join('; ') || undefined };
}

/** What of patches the user decided. */
export function ofPatches(all: DecidedPatch[], user: string): Decided[] {
  return all.filter((it) => it.who === user).map(({ id, at, patch, change, reason, keys }) => ({ id, at, kind: 'patch', name: patch, how: change, reason, keys }));
}

/** What rules say, they say in the name of their author at once. */
const APART_MS = 1_000;

/** Those that no rule decided. */
export function unruled(all: Decided[], rules: Ruled[]): Decided[] {
  const isSame = (it: Decided, rule: Ruled) => it.kind === rule.kind && it.name === (rule['task-id'] ?? rule['patch-id']) && Math.abs(Date.parse(it.at) - Date.parse(rule.at)) <= APART_MS;
  return all.filter((it) => !rules.some((rule) => rule.verdict && isSame(it, rule)));
}

/** What a user decided since then, the last first. Of patches that is told which have waited since `back`. */
export async function decidedSince(since: string, back: string, most: number, user: string, signal: AbortSignal): Promise<Decided[]> {
  const turns = await lastSince(since, '/convoke-negotiation:negotiation-update', most, (id, it) => ofTurn(id, it, user), signal);
  const patches = ofPatches(await patchesSince(back, most, signal), user);
  const rules = await rulesSince(since, most, signal);
  return unruled([...turns, ...patches], rules).sort((a, b) => b.id - a.id);
}

/** What was said last before what waits was waited for no more, by whoever it waited for. */
export function said(talk: Negotiation | undefined, side: Turn['by'], round: number | undefined): Turn | undefined {
  return talk?.turn?.find((turn) => turn.by === side && turn.round >= (round ?? 0));
}
