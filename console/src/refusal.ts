// Why something was refused, in the language of the page: by its code, with what the platform names. Its own words, which
// are English, are kept behind. Read next: Why.svelte, which draws it; assign/refusal.ts, where it is told at fields.
import type { Reason } from './acting';
import { field } from './assign/form';
import { t, word } from './language.svelte';
import { en } from './language/en';
import { whenRefused, type Fault } from './restconf';
import { cut } from './words';

/** How much of what others give as a reason is looked at, in characters. */
const MESSAGE_MAX = 1_000;
const CODE_MAX = 128;

const isWord = (key: string) => Object.hasOwn(en, key);

/** What codes begin with that say the same of different things. */
const FAMILIES = ['unknown', 'missing', 'bad', 'kv', 'store', 'too-many', 'too-few', 'malformed'];

/**
 * A code in words: its own, or those of its family, which is what it begins with (`unknown-node` is `unknown`). An answer
 * may also say how a negotiation or a task stands. A colon before what is not named is left out.
 */
export function worded(code: string, named: Record<string, string> = {}): string | undefined {
  const family = [code, FAMILIES.find((it) => code.startsWith(`${it}-`))].find((it) => it && isWord(`refusal.${it}`));
  if (family) return word('refusal', family, named).replace(/[:：]\s*$/, '');
  if (isWord(`negotiation.${code}`)) return word('negotiation', code);
  return isWord(`state.${code}`) ? word('state', code) : undefined;
}

/** What a message quotes first, or else the first element that it names, and the first number beside all that it quotes. */
export function named(message: string): { value?: string; number?: string } {
  const value = /(?:^|[\s(])(['"])(.+?)\1(?!\w)/.exec(message)?.[2] ?? /\b[a-z]+:[\w/.-]+/.exec(message)?.[0];
  const number = /\d[\d.,]*/.exec(message.replace(/(['"]).*?\1/g, ''))?.[0];
  return { value, number };
}

/**
 * Why a request was refused, or an agent refuses, in the language of the page; behind it on a line of its own what the
 * platform says, unless that was told. `at` is the field at which it is told, and needs no name.
 */
export function why(it: Fault | Reason, at = ''): string {
  const isReason = 'reason' in it;
  const codes = (isReason ? [it.reason] : [it['error-app-tag'], it['error-tag']]).filter((code) => code !== undefined).map((code) => cut(code, CODE_MAX));
  const where = isReason ? cut(it.path ?? '', CODE_MAX) : it['error-info']?.['ietf-netconf:bad-element'] || field(it['error-path']);
  const message = cut((isReason ? it.message : it['error-message']) ?? '', MESSAGE_MAX);
  const { value, number = '…' } = named(message);
  const place = where && where !== at ? where : '';
  const parts = { value: value && value !== at ? value : place, place, number, message };
  const words = codes.map((code) => worded(code, parts)).find(Boolean);
  const own = [codes.join(', '), message].filter(Boolean).join(': ');
  const told = words ?? own;
  // A key of a payload is told, unless the words say which it is, or what stands there.
  const isNamed = !isReason || [place, value].some((it) => it && told.includes(it));
  const whole = place && !isNamed ? `${place}: ${told}` : told;
  return !words || (message && words.includes(message)) ? whole : `${whole}\n${own}`;
}

/** The same on one line. */
export function line(it: Fault | Reason): string {
  const [key, type] = why(it).split('\n');
  return type ? t('key.typed', { key: key!, type }) : key!;
}

// Whatever fails by a refusal says so in the language of the page.
whenRefused(line);
