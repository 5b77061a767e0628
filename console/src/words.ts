// The content of a message (draft-zhao) for people: sections of words, and perhaps a payload in JSON. It is read as the
// platform reads it (domain, content/section.rs, with the same test vectors): what is shown is what is decided upon. Pure.
import { legible, legibleJson } from './legible';

export type Section = [heading: string, body: string];

export interface Words {
  /** The sections but for the payload, legible. */
  parts: Section[];
  /** The payload as it is laid out for people. */
  payload?: string;
  /** The schema that it follows, and its keys; none if it is not what the platform writes. */
  schema?: string;
  values?: Record<string, unknown>;
}

/** The headings that the draft names. */
const HEADINGS = ['target object', 'task description', 'environmental information', 'expected response', 'asynchronous', 'terms', 'structured payload', 'progress', 'result'];
const PAYLOAD = 'structured payload';

/** White space as Unicode has it, which `\s` is not quite. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const SPACES = new RegExp(`${SPACE}+`, 'u');
const BEGIN = new RegExp(`^${SPACE}+`, 'u');

function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && SPACES.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end).replace(BEGIN, '');
}

/** A text without what it ends with, as often as that stands there. */
function without(text: string, sign: string): string {
  let end = text.length;
  while (text[end - 1] === sign) end -= 1;
  return text.slice(0, end);
}

const spaced = (text: string) => trimmed(text).split(SPACES).join(' ').toLowerCase();

/** A heading that is known, however it is spelt. */
function known(text: string): string | undefined {
  const name = without(spaced(text), ':');
  return name === 'environmental infomation' ? 'environmental information' : HEADINGS.find((it) => it === name);
}

/** What a heading's line says behind `##`: its body may stand there, behind a colon, a tag or space. */
function begun(rest: string): Section {
  const whole = trimmed(rest);
  const plain = known(whole);
  if (plain) return [plain, ''];
  const at = whole.search(/[:<]/);
  const split = at >= 0 ? known(whole.slice(0, at)) : undefined;
  if (split) return [split, trimmed(whole.slice(at).replace(/^:+/, ''))];
  const ascii = (text: string) => text.replace(/[A-Z]/g, (it) => it.toLowerCase());
  const name = HEADINGS.find((it) => ascii(whole.slice(0, it.length)) === it && BEGIN.test(whole[it.length] ?? ''));
  return name ? [name, trimmed(whole.slice(name.length))] : [spaced(without(whole, ':')), ''];
}

/** What stands in a tag, as in Figure 7 of the draft. */
function untagged(body: string): string {
  const text = body.endsWith('</content>') ? trimmed(body.slice(0, -'</content>'.length)) : body;
  const open = text.indexOf('>');
  const close = text.lastIndexOf('</');
  if (!text.startsWith('<') || !text.endsWith('>') || open > close) return text;
  const [name, end] = [text.slice(1, open), text.slice(close + 2, -1)].map((it) => without(it, '"'));
  return name === end && /^[a-z0-9]*$/i.test(name!) ? trimmed(text.slice(open + 1, close)) : text;
}

/**
 * The sections of words, as heading and body; words before the first heading have none. What is said twice under a
 * heading of the draft is one.
 */
export function sections(text: string): Section[] {
  const lines: [heading: string, body: string[]][] = [['', []]];
  for (const line of text.split('\n')) {
    const begins = line.replace(BEGIN, '');
    if (begins.startsWith('##') && begins[2] !== '#') {
      const [heading, body] = begun(begins.slice(2));
      lines.push([heading, body ? [body] : []]);
    } else lines.at(-1)![1].push(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
  const found: [heading: string, bodies: string[]][] = [];
  const before = new Map<string, string[]>();
  for (const [heading, body] of lines) {
    const said = untagged(trimmed(body.join('\n')));
    const known = before.get(heading);
    if (known) known.push(said);
    else if (heading || said) {
      const bodies = [said];
      found.push([heading, bodies]);
      if (heading !== PAYLOAD && HEADINGS.includes(heading)) before.set(heading, bodies);
    }
  }
  return found.map(([heading, bodies]) => [heading, bodies.filter(Boolean).join('\n')]);
}

/** A value of a payload as people write it: a list without its brackets, if it has no parts of its own; one a line if they have commas. */
export function laid(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((it) => typeof it !== 'object' || it === null)) {
    const items = value.map(String);
    if (items.length < 2 || !items.some((it) => /[,，、]/.test(it))) return items.join(', ');
    return items.map((it, place) => `${place + 1}. ${it}`).join('\n');
  }
  return JSON.stringify(value, null, 1);
}

/** A text as far as a line has room. */
export function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** A name that is longer than there is room for, without its middle: many begin alike and differ at their ends. */
export function middle(name: string, most: number): string {
  const half = Math.floor((most - 1) / 2);
  return name.length > most ? `${name.slice(0, half)}…${name.slice(-half)}` : name;
}

/** The words for people, and the payload: the first, since the platform takes one. */
export function words(content: string): Words {
  const said = sections(content);
  const typed = said.find(([heading]) => heading === PAYLOAD);
  const parts = said.filter((it) => it !== typed).map(([heading, body]): Section => [legible(heading), legible(body)]);
  if (!typed) return { parts };
  try {
    const told = JSON.parse(typed[1]);
    const isTyped = typeof told.schema_id === 'string' && typeof told.payload === 'object' && told.payload !== null;
    return {
      parts,
      payload: legibleJson(JSON.stringify(told, null, 2)),
      ...(isTyped ? { schema: told.schema_id, values: told.payload } : {}),
    };
  } catch {
    return { parts, payload: legible(typed[1]) };
  }
}

/** The same without credentials, if it answers with any. */
export function masked(content: string): string {
  const said = sections(content);
  if (!said.some(([heading, body]) => heading === 'in reply to' && spaced(body) === 'credentials')) return content;
  const kept = said.map(([heading, body]) => (BESIDE.includes(heading) ? `##${heading}\n${body}` : `##${heading}\n${MASK}`));
  return kept.join('\n');
}

/** What stands in place of a secret. */
export const MASK = '••••';

/** What is said beside credentials, and is none. */
const BESIDE = ['target object', 'in reply to'];
