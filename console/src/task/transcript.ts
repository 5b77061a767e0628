// What was said of a task by both sides, in its order. What an agent of the platform offers when it is ready is a turn of
// the negotiation and no record of its own: it is told from there, and once. Pure. Read next: Words.svelte; docs/context.md.
import type { Reply } from '../acting';
import { sections } from '../words';
import type { Exchange, Negotiation, Turn } from './threads.svelte';

/** Something that was said: as it is on record, or a turn that is not. */
export interface Line {
  key: string;
  at: string;
  from: string;
  to: string;
  exchange?: Exchange;
  turn?: Turn;
  /** Of what the turn is. */
  kind?: string;
  /** The turn that a record is, if it has the name of one. */
  recorded?: Turn;
}

/** What is on record and what was negotiated happen at one moment, if they are the same. */
const APART_MS = 1_000;
/** Requests that are no turns of a negotiation, by their names (docs/context.md). */
const NO_TURN = /\/(assign|cancel|answer\/[^/]+)$/;

/** All that was said, in its order; with the answers that are known, by what they answer. */
export function transcript(exchanges: Exchange[], rounds: Negotiation[], answers: Map<string, Reply> = new Map()): Line[] {
  const turns = taken(rounds);
  const lines: Line[] = exchanges.map((exchange) => ({
    key: exchange.id,
    at: exchange['request-info']?.time ?? '',
    from: exchange.sendFrom,
    to: exchange.sendTo,
    exchange,
    recorded: turns.find((one) => isNamed(exchange, one))?.turn,
  }));
  for (const { kind, turn, from, to } of unrecorded(exchanges, turns, answers)) {
    lines.push({ key: `${kind}/${turn.round}/${turn.by}`, at: turn.time ?? '', from, to, turn, kind });
  }
  const at = (line: Line) => Date.parse(line.at) || 0;
  return lines.sort((a, b) => at(a) - at(b));
}

/** What somebody does by saying it, as far as that is more than its verb tells. */
export function does({ exchange, turn, recorded }: Line): 'accept' | 'refuse' | 'offer' | 'answer' | undefined {
  const stance = (recorded ?? turn)?.stance;
  if (stance === 'accept' || stance === 'refuse' || turn) return stance as 'accept' | 'refuse' | 'offer';
  if (exchange?.commuType !== 'FulfillmentNegotiate' && exchange?.commuType !== 'FeasibilityNegotiate') return undefined;
  const said = new Map(sections(exchange['request-info']?.content ?? ''));
  const result = said.get('result') ?? '';
  if (/^(accept(ed)?|agreed?|feasible)\b/i.test(result)) return 'accept';
  if (/^(reject(ed)?|refused?|infeasible)\b/i.test(result)) return 'refuse';
  if (ANSWERS.includes(said.get('in reply to')?.toLowerCase() ?? '')) return 'answer';
  // What begins a talk of feasibility asks; what follows offers, as the executor does from the beginning.
  return exchange.commuType === 'FulfillmentNegotiate' || recorded?.by === 'executor' ? 'offer' : undefined;
}

const ANSWERS = ['answer', 'credentials', 'completion'];

/** What is answered when it is received, and perhaps by a turn at once. */
const RECEIVED = ['FulfillmentNegotiate', 'FeasibilityNegotiate', 'taskResultNotify'];

/** Whether a reply is the other side's word: that it was received is none. */
export function isVerdict(exchange: Exchange, rounds: Negotiation[]): boolean {
  if (!RECEIVED.includes(exchange.commuType ?? '')) return true;
  const at = Date.parse(exchange['response-info']?.time ?? '');
  return taken(rounds).some(({ turn, from }) => from === exchange.sendTo && turn.stance === 'accept' && Math.abs(Date.parse(turn.time ?? '') - at) <= APART_MS);
}

/** A turn, of what, and who spoke to whom. */
interface Taken {
  kind: string;
  turn: Turn;
  from: string;
  to: string;
}

function taken(rounds: Negotiation[]): Taken[] {
  return rounds.flatMap(({ kind, publisher, executor, turn: turns = [] }) =>
    turns.map((turn) => (turn.by === 'executor' ? { kind, turn, from: executor, to: publisher } : { kind, turn, from: publisher, to: executor })),
  );
}

/** The turns that are not on record: what was asked or answered is one turn at most, by its name or else the nearest. */
function unrecorded(exchanges: Exchange[], turns: Taken[], answers: Map<string, Reply>): Taken[] {
  const found = new Set<Taken>();
  const spent = new Set<Exchange>();
  for (const one of turns) {
    const record = exchanges.find((it) => !spent.has(it) && isNamed(it, one));
    if (!record) continue;
    found.add(one);
    spent.add(record);
  }
  const said = exchanges
    .filter((it) => !spent.has(it) && !NO_TURN.test(it.id))
    .map((it) => ({ it, by: it.sendFrom, time: it['request-info']?.time, may: (turn: Turn) => agree([it['request-info']?.content ?? ''], turn.content) }));
  const replied = exchanges.map((it) => ({ it, by: it.sendTo, time: it['response-info']?.time, may: (turn: Turn) => !answers.has(it.id) || isReply(answers.get(it.id)!, turn) }));
  const pairs = turns
    .filter((one) => !found.has(one))
    .flatMap((one) =>
      [...said, ...replied]
        .map((record) => ({ one, record, apart: Math.abs(Date.parse(record.time ?? '') - Date.parse(one.turn.time ?? '')) }))
        .filter(({ record: { it, by, may }, apart }) => by === one.from && apart <= APART_MS && isOfKind(it, one.kind) && may(one.turn)),
    )
    .sort((a, b) => a.apart - b.apart);
  const covering = new Set<object>();
  for (const { one, record } of pairs) {
    if (found.has(one) || covering.has(record)) continue;
    found.add(one);
    covering.add(record);
  }
  return turns.filter((one) => !found.has(one));
}

/** Whether a record is that of a turn by its name: the task, of what, the round and who spoke, and to whom if that is said. */
function isNamed(record: Exchange, { kind, turn, from, to }: Taken): boolean {
  const name = `/${kind}/${turn.round}/${from}`;
  return record.sendFrom === from && (record.id.endsWith(name) || record.id.endsWith(`${name}/${to}`));
}

/** Whether feasibility is spoken of in both or in neither; so it is where it is not known how a message was sent. */
function isOfKind({ commuType }: Exchange, kind: string): boolean {
  return !commuType || (commuType === 'FeasibilityNegotiate') === (kind === 'feasibility');
}

/** Whether a turn may be an answer that is known, which has all that was said. */
function isReply(reply: Reply, turn: Turn): boolean {
  if (reply.verdict === 'pending') return false;
  const offered = reply.content ?? [];
  return !turn.content?.length || (offered.length > 0 && agree(offered, turn.content));
}

/** Whether a message may say what a turn says: of each section that both have, a text is the same. */
function agree(message: string[], turn: string[] | undefined): boolean {
  const [ours, theirs] = [bodies(message), bodies(turn ?? [])];
  return [...ours].every(([heading, texts]) => !theirs.has(heading) || texts.some((text) => theirs.get(heading)!.includes(text)));
}

/** What stands in each section, of several if they are alternatives; a payload is left out, which is written in many ways. */
function bodies(contents: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [heading, body] of contents.flatMap(sections)) {
    if (heading !== 'structured payload') found.set(heading, [...(found.get(heading) ?? []), body.replace(/\s+/g, ' ')]);
  }
  return found;
}
