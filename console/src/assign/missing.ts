// What a form still lacks, and what of that is proposed: a ticket has a number of its own that nobody need make up. Pure.
// Read next: form.ts; ../pages/Assign.svelte.
import { kind, unguessable, type Key, type Template } from './form';

/** The keys that must be said and are not. */
export function missing(template: Template, filled: Record<string, string>): Key[] {
  return template.keys.filter((it) => it.required && !filled[it.key_name]?.trim());
}

/** Those of which nothing was said come first: they are what is left to do. */
export function lackingFirst(keys: Key[], said: Set<string>): Key[] {
  const isSaid = (it: Key) => Number(said.has(it.key_name));
  return [...keys].sort((a, b) => isSaid(a) - isSaid(b));
}

/** Names for what must have one of its own: texts called `…_id` that may be anything. They begin as the example of a key does. */
export function proposed(template: Template, filled: Record<string, string>, example: (key: Key) => string): Record<string, string> {
  const own = missing(template, filled).filter((it) => it.key_name.endsWith('_id') && kind(it) === 'text' && !it.pattern && !it.format);
  return Object.fromEntries(own.map((it) => [it.key_name, (/^\p{L}+-/u.exec(example(it))?.[0] ?? '') + unguessable().slice(0, 8)]));
}
