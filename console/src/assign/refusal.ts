// What the platform refused of a form, said at its fields. Read next: form.ts; ../refusal.ts, how it is said.
import { t } from '../language.svelte';
import { why, worded } from '../refusal';
import { Refused } from '../restconf';
import type { Violation } from '../scenarios';
import { field } from './form';

/**
 * What is wrong by field, the first of which is gone to; what names none is wrong with `other`. Nothing if it failed
 * otherwise. `own` has what a code means in this form.
 */
export function byField(error: Error, form: string, other = '', own: Record<string, string> = {}): Record<string, string> {
  if (!(error instanceof Refused)) return {};
  showWrong(form);
  const at = error.faults.map((it) => field(it['error-path']) || it['error-info']?.['ietf-netconf:bad-element'] || other);
  return Object.fromEntries(error.faults.map((it, place) => [at[place], own[it['error-app-tag'] ?? ''] ?? why(it, at[place])]));
}

/** Where a payload does not keep to its template: what is wrong, and behind it what is expected, in the platform's words. */
export function unfit({ code = '', expected = '' }: Violation): string {
  const what = t('field.expected', { what: expected });
  const words = worded(code);
  return words ? `${words}\n${what}` : what;
}

/** Opens what hides a field with something wrong, and goes to the first. */
export function showWrong(form: string): void {
  setTimeout(() => {
    const all = document.querySelectorAll<HTMLElement>(`${form} [aria-invalid=true]`);
    for (const it of all) it.closest('details')?.setAttribute('open', '');
    all[0]?.focus();
  });
}
