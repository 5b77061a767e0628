// What the keys and values of a template are called where its names are foreign words: its annotations say it. Pure.
// Read next: form.ts, Field.svelte.
import type { Key } from './form';

interface Signed {
  keys?: { key_name: string; annotations?: Record<string, { meaning?: string; examples?: [string, unknown][] }> }[];
}

const told = (key: Key, signed: Signed, language: string) =>
  language === 'en' ? undefined : signed.keys?.find((it) => it.key_name === key.key_name)?.annotations?.[language];

/** What a key is called: the first words of what it means. Nothing where its name says it, or no words are there. */
export function called(key: Key, signed: Signed, language: string): string {
  return told(key, signed, language)?.meaning?.split(/[，。；：（,;:.(]/)[0]!.trim() ?? '';
}

/** What there is to say beside what a key is called. */
export const beside = (words: string, called: string) => (words.replace(/[。.]$/, '') === called ? '' : words);

/** What the values of a choice are called: as whoever speaks of them says it. */
export function names(key: Key, signed: Signed, language: string): Record<string, string> {
  const examples = told(key, signed, language)?.examples ?? [];
  return Object.fromEntries([...examples].reverse().map(([words, value]) => [String(value), words]));
}
