// What the platform refused of a form, said at its fields. Read next: form.ts.
import { en } from '../language/en';
import { word } from '../language.svelte';
import { Refused, type Fault } from '../restconf';
import { field } from './form';

/** What is wrong by field, the first of which is gone to; what names none is wrong with `other`. Nothing if it failed otherwise. */
export function byField(error: Error, form: string, other = ''): Record<string, string> {
  if (!(error instanceof Refused)) return {};
  showWrong(form);
  return Object.fromEntries(error.faults.map((it) => [field(it['error-path']) || it['error-info']?.['ietf-netconf:bad-element'] || other, said(it)]));
}

/** Opens what hides a field with something wrong, and goes to the first. */
export function showWrong(form: string): void {
  setTimeout(() => {
    const all = document.querySelectorAll<HTMLElement>(`${form} [aria-invalid=true]`);
    for (const it of all) it.closest('details')?.setAttribute('open', '');
    all[0]?.focus();
  });
}

/** In the language of the page where the code is known, and as the platform says it. */
function said(it: Fault): string {
  const known = [it['error-app-tag'], it['error-tag']].find((code) => Object.hasOwn(en, `refusal.${code}`));
  const message = it['error-message'] ?? it['error-tag'];
  return known ? `${word('refusal', known)} (${message})` : message;
}
