// A value of an enumeration with its word, where the catalogue has one: kinds of faults, severities, alarms, states.
import { SEVERITIES } from './network/alarms';
import { t, word } from './language.svelte';
import { en } from './language/en';
import { KINDS } from './play/faults';
import { STATES } from './states';

/** The group of words that a value is of; none for what is no such value. */
function group(value: string): string | undefined {
  if (value !== 'random' && Object.hasOwn(KINDS, value)) return 'fault';
  if (SEVERITIES.some((it) => it === value)) return 'severity';
  if (Object.hasOwn(STATES, value)) return 'state';
  // Others of these groups have one word, which may mean something else.
  return ['fault', 'alarm', 'saving'].find((it) => value.includes('-') && Object.hasOwn(en, `${it}.${value}`));
}

const letters = (text: string) => text.toLowerCase().replace(/[ _-]/g, '');

/** The word of a value, and the value as it is sent, unless they are the same; `other` where the catalogue has no word. */
export function valued(value: string, other = ''): string {
  const name = value.replaceAll('_', '-');
  const of = group(name);
  const said = of ? word(of, name) : other;
  return !said || letters(said) === letters(value) ? value : t('key.typed', { key: said, type: value });
}
