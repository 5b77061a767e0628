// What was said in the course of a whole, and when, for its timeline. Pure. Read next: Timeline.svelte, transcript.ts.
import { masked, words } from '../words';
import type { Exchange } from './threads.svelte';
import type { Line } from './transcript';

/** Something that was said: at which moment, of which task, by a message or a turn, and the gist of it. */
export interface Moment {
  at: number;
  time: string;
  task: string;
  from: string;
  to: string;
  verb?: string;
  stance?: string;
  gist: string;
}

const GIST_MAX = 160;

/** What a message says, as far as a line has room: what came of it, what is to be done, or how far it is. */
export function gist(content: string): string {
  const said = Object.fromEntries(words(masked(content)).parts);
  const text = said['result'] || said['task description'] || said['progress'] || said[''] || '';
  return text.length > GIST_MAX ? `${text.slice(0, GIST_MAX)}…` : text;
}

/** What was made of each message that is on record, which never changes. */
const gists = new WeakMap<Exchange, string>();

function gistOf(exchange: Exchange): string {
  const known = gists.get(exchange) ?? gist(exchange['request-info']?.content ?? '');
  gists.set(exchange, known);
  return known;
}

/** All that was said, in its order: what is on record of each task, and the turns of one of them that are not. */
export function moments(exchanges: Exchange[], turns: Line[], task: string): Moment[] {
  const recorded = exchanges.map((it) => ({
    time: it['request-info']?.time ?? '',
    task: it['task-id'] ?? '',
    from: it.sendFrom,
    to: it.sendTo,
    verb: it.commuType,
    gist: gistOf(it),
  }));
  const taken = turns.map(({ at, from, to, turn }) => ({ time: at, task, from, to, stance: turn?.stance, gist: gist(turn?.content?.[0] ?? '') }));
  return [...recorded, ...taken].map((it) => ({ ...it, at: Date.parse(it.time) })).sort((a, b) => a.at - b.at);
}

/** What was said last of each task. */
export function lately(all: Moment[], most: number): Map<string, Moment[]> {
  const found = new Map<string, Moment[]>();
  for (const it of all) {
    const known = found.get(it.task);
    if (known) known.push(it);
    else found.set(it.task, [it]);
  }
  return new Map([...found].map(([task, said]) => [task, said.slice(-most)]));
}

/** Who cancelled a task, and why, by what was said of it until it changed last: what is said later cancels nothing. */
export function cancelled(exchanges: Exchange[], changed: string | undefined): { by: string; why: string } | undefined {
  const isLater = (it: Exchange) => Date.parse(it['request-info']?.time ?? '') > Date.parse(changed ?? '');
  const said = exchanges.filter((it) => it.commuType === 'taskCancel' && !isLater(it)).at(-1);
  return said && { by: said.sendFrom, why: gistOf(said) };
}
