// What the platform understood of words (draft-zhou §3.2), and the form filled in with it. Pure: when it is asked, and
// what is done with the answer, is the page's. Read next: Utterance.svelte; docs/language.md.
import { kind, type Template, written } from './form';

/** A scenario with an agent that takes it. Numbers are texts, as JSON has them (RFC 7951 §6.1). */
export interface Fit {
  agent: string;
  'schema-id': string;
  scenario: string;
  title?: string;
  /** 0 to 1. */
  score?: string;
  /** The words that it knows. */
  known?: string[];
}

export interface Confidence {
  key: string;
  /** 0 to 1. */
  value: string;
  understood?: boolean;
}

/** The answer of `parse-utterance`. */
export interface Understood {
  /** The first is what the payload is read for; none if nothing fits. */
  choice?: Fit[];
  nearest?: Fit;
  agent?: string;
  'schema-id'?: string;
  payload?: string;
  confidence?: Confidence[];
  other?: string[];
  missing?: string[];
  parser?: string;
}

/** What the platform is asked to leave to nobody's choice. */
export interface Held {
  agent?: string;
  scenario?: string;
}

/** How sure a value is, by a sign and a word. */
export type Sureness = 'certain' | 'likely' | 'unsure';

export const SIGNS: Record<Sureness, string> = { certain: '●', likely: '◐', unsure: '○' };

/** The parser's kinds of candidates that were right nine times of ten. */
const CERTAIN = 0.9;

/** A key of which something was said. */
export interface Row {
  key: string;
  /** As it is filled in; none if it was not sure enough. */
  value?: string;
  percent: number;
  sureness: Sureness;
}

/** Milliseconds as RFC 3339 has them in a zone so many minutes east of UTC. */
export function zoned(ms: number, eastMinutes: number): string {
  const local = new Date(ms + eastMinutes * 60_000).toISOString().slice(0, 19);
  const [hours, minutes] = [Math.floor(Math.abs(eastMinutes) / 60), Math.abs(eastMinutes) % 60];
  const two = (count: number) => String(count).padStart(2, '0');
  return `${local}${eastMinutes < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

/** The input of `parse-utterance`. */
export function reading(words: string, at: string, language: string, held: Held): object {
  return {
    utterance: words.trim(),
    at,
    'preferred-language': language,
    ...(held.agent ? { agent: held.agent } : {}),
    ...(held.scenario ? { scenario: held.scenario } : {}),
  };
}

/** From this share of a score on, another fits nearly as well. */
const NEAR = 0.8;

/**
 * What was chosen beside the others, the better first, all with the scores of the reading that left the choice open: of
 * less that is weighed against each other, the same words score otherwise.
 */
export function compared(offers: Fit[], chosen: Fit): { score?: string; near: Fit[]; others: Fit[]; isBeaten: boolean } {
  const isChosen = (it: Fit) => it.agent === chosen.agent && it['schema-id'] === chosen['schema-id'];
  const { score } = offers.find(isChosen) ?? chosen;
  const rest = offers.filter((it) => !isChosen(it)).sort((a, b) => Number(b.score) - Number(a.score));
  const isNear = (it: Fit) => Number(it.score) >= NEAR * Number(score);
  return { score, near: rest.filter(isNear), others: rest.filter((it) => !isNear(it)), isBeaten: rest.some((it) => Number(it.score) > Number(score)) };
}

/** A share as people write it. */
export function percent(share: string | undefined): number {
  return Math.round(Number(share ?? 0) * 100);
}

/** The keys and values of a payload; none of what is no object. */
export function payload(told: Understood): Record<string, unknown> {
  const said: unknown = told.payload ? JSON.parse(told.payload) : {};
  return said && typeof said === 'object' && !Array.isArray(said) ? (said as Record<string, unknown>) : {};
}

/** The form of a template as it is filled in with a payload; keys that it does not have are left out. */
export function filled(template: Template, said: Record<string, unknown>): Record<string, string> {
  const known = template.keys.filter((key) => said[key.key_name] !== undefined && said[key.key_name] !== null);
  return Object.fromEntries(
    known.map((key) => {
      const value = said[key.key_name];
      // What is filled in line by line may be one line; what has one line is shown, and sent, without others.
      if (typeof value !== 'string' || kind(key) === 'json') return [key.key_name, written(key, value)];
      return [key.key_name, kind(key) === 'lines' ? value : value.replace(/[\r\n]+/g, ' ')];
    }),
  );
}

/** What was said of the keys, the surest first. */
export function rows(told: Understood): Row[] {
  const said = payload(told);
  const all = (told.confidence ?? []).map(({ key, value, understood: isUnderstood }): Row => {
    const sureness = !isUnderstood ? 'unsure' : Number(value) >= CERTAIN ? 'certain' : 'likely';
    const told = said[key];
    const text = typeof told === 'string' ? told : JSON.stringify(told);
    return { key, percent: percent(value), sureness, ...(isUnderstood && told !== undefined ? { value: text } : {}) };
  });
  return all.sort((one, other) => other.percent - one.percent || one.key.localeCompare(other.key));
}
