// A form out of a template (draft-zhou §4.1), and a payload out of what was filled in. Pure: whether it is right the
// platform says, so what cannot be read goes to it as it was written.
import { content, hasEnded, NEGOTIATE } from '../acting';
import { legible } from '../legible';
import { concerns } from '../network/done';
import type { Task } from '../platform.svelte';
import type { Request } from '../restconf';

/** A key of a template; those of an array's items and an object's members have no name here. */
export interface Key {
  key_name: string;
  key_type: string;
  required?: boolean;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
  unit?: string;
  maxLength?: number;
  items?: { key_type: string; enum?: string[] };
  semantic_description?: string;
}

export interface Template {
  schema_id: string;
  title?: string;
  keys: Key[];
}

/** How a key is filled in. */
export type Kind = 'text' | 'choice' | 'number' | 'flag' | 'lines' | 'json';

export function kind(key: Key): Kind {
  if (key.enum) return 'choice';
  if (key.key_name === 'other') return 'lines';
  switch (key.key_type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'string':
      return 'text';
    case 'array':
      return key.items && ['string', 'integer', 'number'].includes(key.items.key_type) ? 'lines' : 'json';
    default:
      return 'json';
  }
}

type Annotations = Record<string, { meaning?: string; examples?: [string, unknown][] }>;

/** What a key means, and a value of it as an example, in a language or else in English. */
export function meaning(key: Key, signed: { keys?: { key_name: string; annotations?: Annotations }[] }, language: string) {
  const annotations = signed.keys?.find((it) => it.key_name === key.key_name)?.annotations;
  const told = annotations?.[language] ?? annotations?.['en'];
  const example = told?.examples?.[0]?.[1];
  return {
    words: told?.meaning ?? key.semantic_description ?? '',
    example: example === undefined ? '' : written(key, example),
  };
}

/** The most values that are offered for a key. */
const OFFERED_MAX = 500;

/** A pattern of elements, as templates write it: its kinds, and a name. */
const ELEMENTS = /^(?:\(([a-z|]+)\)|([a-z]+)):\[\^ \]\+$/;

/**
 * Of what is known, the elements that a key takes by its pattern (RFC 9485); nothing for another pattern. What others
 * wrote is carried out as no expression here: theirs are linear at the platform, and a browser's are not.
 */
export function offered(key: Key, known: Iterable<string>): { value: string }[] {
  const [, several, one] = ELEMENTS.exec((kind(key) === 'text' && key.pattern) || '') ?? [];
  const kinds = (several ?? one)?.split('|') ?? [];
  const taken = [...new Set(known)].filter((value) => kinds.some((it) => value.length > it.length + 1 && value.startsWith(`${it}:`)) && !value.includes(' '));
  return taken.sort().slice(0, OFFERED_MAX).map((value) => ({ value }));
}

/** Of what is offered, that which browsers may show as it is: a value with characters that turn text around or hide is left out. */
export function showable<T extends { value: string }>(offered: T[]): T[] {
  return offered.filter(({ value }) => legible(value) === value);
}

/** A value as it would be filled in. */
export function written(key: Key, value: unknown): string {
  if (kind(key) === 'lines' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What bounds a value, in signs that need no language but for the most characters; a pattern only where nothing says what is meant. */
export function bounds(key: Key, longest = (count: number) => `≤ ${count}`): string {
  const range = key.minimum ?? key.maximum;
  return [
    range === undefined ? '' : `${key.minimum ?? '…'} – ${key.maximum ?? '…'}`,
    key.unit,
    key.format,
    key.semantic_description ? '' : key.pattern,
    key.maxLength === undefined ? '' : longest(key.maxLength),
  ]
    .filter(Boolean)
    .join(' · ');
}

function number(text: string): unknown {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function value(key: Key, text: string): unknown {
  switch (kind(key)) {
    case 'number':
      return number(text.trim());
    case 'flag':
      return { true: true, false: false }[text.trim()] ?? text;
    case 'choice':
      return key.enum!.find((it) => String(it) === text) ?? text;
    case 'lines': {
      const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
      return key.items && key.items.key_type !== 'string' ? lines.map(number) : lines;
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      return text.trim();
  }
}

/** The payload; what was left empty is left out. */
export function payload(template: Template, filled: Record<string, string>): Record<string, unknown> {
  const said = template.keys.filter((key) => filled[key.key_name]?.trim());
  return Object.fromEntries(said.map((key) => [key.key_name, value(key, filled[key.key_name]!)]));
}

/** An assignment as it is filled in. */
export interface Assignment {
  id: string;
  executor: string;
  target: string;
  description: string;
  expected: string;
  /** As `datetime-local` has it. */
  deadline: string;
  /** Seconds. */
  within: string;
  parent: string;
  isNegotiated: boolean;
}

/** A form that is opened filled in: whose plan is to be seen first. */
export interface Begun {
  scenario: string;
  values: Record<string, string>;
}

/** With what an address begins that has a form instead of an agent. */
const FORM = 'form/';

export const begun = (it: Begun) => FORM + JSON.stringify(it);

/** The form that an address opens; none if it names an agent, or nothing that is one. */
export function opened(detail: string): Begun | undefined {
  if (!detail.startsWith(FORM)) return undefined;
  try {
    const { scenario, values } = JSON.parse(detail.slice(FORM.length)) as Partial<Begun>;
    const texts = Object.entries(values ?? {}).filter(([, it]) => typeof it === 'string' && it !== '');
    return typeof scenario === 'string' ? { scenario, values: Object.fromEntries(texts) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether somebody knows something of that name. */
export type Knows = (name: string) => boolean;

/** What it is about: as it is said, or else the first required text that names something known, or the first at all, or by the template. */
export function about(target: string, template?: Template, filled: Record<string, string> = {}, knows: Knows = () => false): string {
  const texts = (template?.keys ?? []).filter((key) => key.required && kind(key) === 'text').map((key) => filled[key.key_name]?.trim() ?? '');
  return target.trim() || texts.find(knows) || texts[0] || (template?.title ?? '');
}

/** The open tasks of a scenario that are about the same. */
export function same(tasks: Iterable<Task>, scenario: string, about: string): Task[] {
  if (!scenario || !about) return [];
  return [...tasks].filter((it) => it.type === scenario && !hasEnded(it) && concerns(it.content ?? '', about));
}

/** The message that assigns it, in words or with a payload. */
export function assignment(it: Assignment, template?: Template, filled: Record<string, string> = {}, knows?: Knows): Request {
  const values = template && payload(template, filled);
  const typed = values && JSON.stringify({ schema_id: template.schema_id, payload: values });
  const said = content([
    ['target object', about(it.target, template, filled, knows)],
    ['task description', it.description || template?.title],
    ['structured payload', typed],
  ]);
  const deadline = new Date(it.deadline);
  const conditions = {
    'expected-response': it.expected.trim(),
    deadline: Number.isNaN(deadline.getTime()) ? it.deadline : deadline.toISOString(),
    'answer-within': number(it.within.trim()),
    'parent-task': it.parent.trim(),
    'fulfillment-required': it.isNegotiated || '',
    'task-async': true,
  };
  const stated = Object.entries(conditions).filter(([, value]) => value !== '');
  const named = stated.map(([name, value]) => [`convoke-negotiation:${name}`, value]);
  return {
    rpc: NEGOTIATE,
    input: {
      'task-sendTo': it.executor,
      commuType: 'taskAssgin',
      'task-id': it.id,
      content: [said],
      ...Object.fromEntries(named),
    },
  };
}

/** The name of a key as people write it: `ticket_id` is a ticket id. What is no such name stands as it is. */
export function human(name: string): string {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) return name;
  const words = name.replaceAll('_', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** The field that an error is about: the last name of its path. */
export function field(path: string | undefined): string {
  return /([\w-]+)(\[[^\]]*\])*$/.exec(path ?? '')?.[1] ?? '';
}

/** The key that a violation is about: the first name of its pointer (RFC 6901). */
export function key(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A name that nobody guesses. `randomUUID` is not there on plain HTTP. */
export function unguessable(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((it) => it.toString(16).padStart(2, '0')).join('');
}
