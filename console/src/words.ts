// The content of a message (draft-zhao) for people: sections of words, and perhaps a payload in JSON. Pure.
import { legible, legibleJson } from './legible';

export interface Words {
  /** The sections but for the payload, legible. */
  text: string;
  /** The payload as it is laid out for people. */
  payload?: string;
  /** The schema that it follows, and its keys; none if it is not what the platform writes. */
  schema?: string;
  values?: Record<string, unknown>;
}

/** The sections of words, as heading and body; words before the first heading have none. */
export function sections(text: string): [heading: string, body: string][] {
  return text
    .split(/^[ \t]*(?=##)/m)
    .map((part): [string, string] => {
      const [, heading = '', body = ''] = /^##\s*(.*)\n?([^]*)$/.exec(part) ?? [];
      return part.startsWith('##') ? [heading.trim().toLowerCase(), body.trim()] : ['', part.trim()];
    })
    .filter(([heading, body]) => heading || body);
}

const PAYLOAD = /^##\s*structured payload[ \t]*\n?/m;

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

/** The words for people, and the payload. */
export function words(content: string): Words {
  const begin = PAYLOAD.exec(content);
  if (!begin) return { text: legible(content.trim()) };
  const before = content.slice(0, begin.index);
  const [, payload = '', after = ''] = /^([^]*?)(\n##[^]*)?$/.exec(content.slice(begin.index + begin[0].length)) ?? [];
  const text = legible(`${before.trim()}${after}`.trim());
  try {
    const told = JSON.parse(payload);
    const isTyped = typeof told.schema_id === 'string' && typeof told.payload === 'object' && told.payload !== null;
    return {
      text,
      payload: legibleJson(JSON.stringify(told, null, 2)),
      ...(isTyped ? { schema: told.schema_id, values: told.payload } : {}),
    };
  } catch {
    return { text, payload: legible(payload.trim()) };
  }
}

/** The same without credentials, if it answers with any. */
export function masked(content: string): string {
  const said = sections(content);
  if (!said.some(([heading, body]) => heading === 'in reply to' && body.toLowerCase() === 'credentials')) return content;
  const kept = said.map(([heading, body]) => (BESIDE.includes(heading) ? `##${heading}\n${body}` : `##${heading}\n${MASK}`));
  return kept.join('\n');
}

/** What stands in place of a secret. */
export const MASK = '••••';

/** What is said beside credentials, and is none. */
const BESIDE = ['target object', 'in reply to'];
