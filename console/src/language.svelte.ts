// The language in which the console speaks, and its words. Words of others among them are made legible.
import { span } from './clock';
import { en, type Key } from './language/en';
import { zh } from './language/zh';
import { legible } from './legible';
import { scaled } from './units';

export const LANGUAGES = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof LANGUAGES;

const WORDS: Record<Language, Record<Key, string>> = { en, zh };
const KEPT = 'convoke-language';

function first(): Language {
  const wanted = localStorage.getItem(KEPT) ?? navigator.language;
  return wanted.startsWith('zh') ? 'zh' : 'en';
}

let chosen = $state<Language>(first());

export const language = {
  get now(): Language {
    return chosen;
  },
  set now(other: Language) {
    chosen = other;
    localStorage.setItem(KEPT, other);
  },
};

/** The words of a key, with what they name filled in. */
export function t(key: Key, named: Record<string, string | number> = {}): string {
  return WORDS[chosen][key].replace(/\{(\w+)\}/g, (_, name: string) => legible(String(named[name] ?? '')));
}

/** The words for a value of an enumeration; the value itself where a newer platform has others. */
export function word(group: string, value: string, named: Record<string, string | number> = {}): string {
  const key = `${group}.${value}`;
  return Object.hasOwn(en, key) ? t(key as Key, named) : legible(value);
}

/** A time as people write it. */
export function time(text: string | undefined): string {
  if (!text) return '';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? legible(text) : at.toLocaleString(locale());
}

const locale = () => (chosen === 'zh' ? 'zh-CN' : 'en-GB');

/** A number as people write it; a dash for one that is not known. */
export function figure(value: number | undefined, digits = 0): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toLocaleString(locale(), { maximumFractionDigits: digits });
}

/** Bytes in the largest unit that says something. */
export function bytes(count: number): string {
  const [value, unit] = scaled(count);
  return `${figure(value, unit === 'B' ? 0 : 1)}\u00a0${unit}`;
}

/** A time that is measured, from microseconds on. */
export function measured(ms: number): string {
  if (ms < 1_000) return `${figure(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0)}\u00a0ms`;
  return ms < 60_000 ? word('span', 's', { count: figure(ms / 1_000, 1) }) : lasting(ms);
}

/** The time of day of a moment, to the second. */
export function hour(ms: number): string {
  return new Date(ms).toLocaleTimeString(locale(), { hour12: false });
}

/** How long something lasts, as people say it. */
export function lasting(ms: number): string {
  return span(ms).map(([count, unit]) => word('span', unit, { count })).join(' ');
}
