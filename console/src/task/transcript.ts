// What was said of a task by both sides, in its order. What an agent of the platform offers when it is ready is a turn of
// the negotiation and no record of its own: it is told from there, and once. Pure. Read next: Words.svelte; docs/context.md.
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
}

/** What is on record and what was negotiated happen at one moment, if they are the same. */
const APART_MS = 1_000;

/** All that was said, in its order. */
export function transcript(exchanges: Exchange[], rounds: Negotiation[]): Line[] {
  const lines: Line[] = exchanges.map((exchange) => ({
    key: exchange.id,
    at: exchange['request-info']?.time ?? '',
    from: exchange.sendFrom,
    to: exchange.sendTo,
    exchange,
  }));
  for (const talk of rounds) {
    for (const turn of talk.turn ?? []) {
      const [from, to] = turn.by === 'executor' ? [talk.executor, talk.publisher] : [talk.publisher, talk.executor];
      if (isRecorded(exchanges, talk.kind, turn, from)) continue;
      lines.push({ key: `${talk.kind}/${turn.round}/${turn.by}`, at: turn.time ?? '', from, to, turn, kind: talk.kind });
    }
  }
  const at = (line: Line) => Date.parse(line.at) || 0;
  return lines.sort((a, b) => at(a) - at(b));
}

/** Whether a turn is on record: by its own name, as what its side said at that moment, or as its answer. */
function isRecorded(exchanges: Exchange[], kind: string, turn: Turn, from: string): boolean {
  const name = `/${kind}/${turn.round}/${turn.by}`;
  const isThen = (time: string | undefined) => Math.abs(Date.parse(time ?? '') - Date.parse(turn.time ?? '')) <= APART_MS;
  return exchanges.some(
    (it) =>
      it.id.endsWith(name) ||
      (it.sendFrom === from && isThen(it['request-info']?.time)) ||
      (it.sendTo === from && it['response-info']?.time !== undefined && isThen(it['response-info'].time)),
  );
}
