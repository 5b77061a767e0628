// What is offered, beside what was asked for or offered before: which values of a payload differ, and a counter-offer out
// of a form. Pure. Read next: Offers.svelte, Rounds.svelte; ../assign/form.ts.
import { kind, payload, written, type Key, type Template } from '../assign/form';
import { cut, laid, words } from '../words';
import type { Negotiation, Turn } from './threads.svelte';

export type Values = Record<string, unknown>;

/** A value that is another than before; none on a side where it is not said. */
export interface Change {
  key: string;
  was?: unknown;
  is?: unknown;
}

export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What differs between two payloads; of payloads of different schemas, among what both say. */
export function changes(before: string | undefined, after: string): Change[] {
  const [one, other] = [words(before ?? ''), words(after)];
  if (!one.values || !other.values) return [];
  const isAll = one.schema === other.schema;
  const keys = [...new Set([...Object.keys(one.values), ...Object.keys(other.values)])];
  return keys
    .map((key) => ({ key, was: one.values![key], is: other.values![key] }))
    .filter(({ was, is }) => !isSame(was, is) && (isAll || (was !== undefined && is !== undefined)));
}

/** A value on a line; a dash for one that is not said. */
export const told = (value: unknown) => (value === undefined ? '–' : laid(value));

const VALUE_MAX = 60;

/** A name or value as far as a line has room. */
const short = (text: string) => cut(text, VALUE_MAX);

/** Changes, each on one line whatever the other side's values are. */
export const listed = (all: Change[]) => all.map(({ key, was, is }) => `${short(key)} ${short(told(was))} → ${short(told(is))}`);

/** A value that takes many lines. */
const LONG = 100;

/**
 * Keys in the order in which they tell most: what differs, numbers, what is short, what is long, and at last what was said
 * before; and how many stand before these, one at least.
 */
export function telling(values: Values, all: Change[], before: Values = {}): [keys: string[], first: number] {
  const differ = new Set(all.map(({ key }) => key));
  const length = (key: string) => told(values[key]).length;
  const rank = (key: string) => {
    if (differ.has(key)) return 0;
    if (key in before) return length(key) > LONG ? 4 : 3;
    return typeof values[key] === 'number' ? 1 : 2;
  };
  const keys = [...new Set([...Object.keys(values), ...differ])].sort((a, b) => rank(a) - rank(b) || length(a) - length(b));
  return [keys, Math.max(1, keys.filter((key) => rank(key) < 3).length)];
}

/** What an offer of the other side stands against: what this side offered last in the negotiation, or what began it. */
export function asked(request: string | undefined, talk: Negotiation | undefined, side: Turn['by']): string | undefined {
  const mine = talk?.turn?.filter((turn) => turn.by === side && turn.stance === 'offer').at(-1);
  return mine?.content?.[0] ?? (side === 'publisher' ? request : undefined);
}

/** What agents and the console say of a word that they give, without a payload. */
const WORD = /^(accepted|word on the decision|judgement of the \w+)$/i;
/** What stands elsewhere, or is the stance. */
const BESIDE = ['target object', 'in reply to', 'result'];

/** Whether a turn says nothing beside its stance. */
export const saysNoMore = ({ content = [] }: Pick<Turn, 'content'>) =>
  content.every((one) => {
    const { parts, payload } = words(one);
    return payload === undefined && parts.every(([heading, body]) => BESIDE.includes(heading) || (heading === 'task description' && WORD.test(body)));
  });

/** What was agreed on, if anything was: what the other side had offered, or one of its alternatives. */
export function agreed(talk: Negotiation | undefined): string | undefined {
  if (talk?.state !== 'agreed') return undefined;
  const yes = talk.turn?.filter((turn) => turn.stance === 'accept').at(-1);
  const theirs = talk.turn?.filter((turn) => yes && turn.by !== yes.by && turn.stance === 'offer' && turn.round <= yes.round).at(-1);
  return theirs?.content?.[(yes?.alternative ?? 1) - 1];
}

/** Of what was asked for, the values that were agreed on otherwise. */
export function settled(talk: Negotiation | undefined, asked: Values): Change[] {
  const values = words(agreed(talk) ?? '').values ?? {};
  return Object.entries(asked)
    .map(([key, was]) => ({ key, was, is: values[key] }))
    .filter(({ was, is }) => is !== undefined && !isSame(was, is));
}

/** The values that were agreed on, in a line; nothing if words were, or a result that stands anyway. */
export function agreement(talk: Negotiation | undefined): string {
  if (talk?.kind === 'result') return '';
  const values = words(agreed(talk) ?? '').values ?? {};
  return telling(values, [])[0].map((key) => `${key} ${short(told(values[key]))}`).join('; ');
}

/** How the keys of a template are filled in by what is offered. */
export function prefilled(template: Template, values: Values): Record<string, string> {
  const said = template.keys.filter((key) => values[key.key_name] !== undefined);
  return Object.fromEntries(said.map((key) => [key.key_name, written(key, values[key.key_name])]));
}

/** A payload out of the form; what the template does not know stays as it was offered, and so does what nobody touched. */
export function countered(template: Template, values: Values, edited: Record<string, string>): Values {
  const changed = new Set(Object.keys(edited));
  const kept = Object.fromEntries(Object.entries(values).filter(([key]) => !changed.has(key)));
  return { ...kept, ...payload(template, edited) };
}

/** The keys that a form begins with, and those on demand: first what is offered or needed. */
export function arranged(template: Template, values: Values): [first: Key[], rest: Key[]] {
  const isFirst = (key: Key) => values[key.key_name] !== undefined || key.required === true;
  const rank = (key: Key) => (kind(key) === 'number' ? 0 : 1);
  const first = template.keys.filter(isFirst).sort((a, b) => rank(a) - rank(b));
  return [first, template.keys.filter((key) => !isFirst(key))];
}
