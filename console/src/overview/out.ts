// What is out of service, since when, and why: by alarms, and by the tasks that have found the cause or mend it. Pure.
// Read next: ../network/cause.ts; Out.svelte.
import { OUT, type Alarm } from '../network/alarms';
import type { Cause } from '../network/cause';

export interface Out {
  site: string;
  /** Since when, as the first of its alarms says. */
  since: string;
}

/** The sites that are out of service, those that are out longest first. */
export function out(alarms: Alarm[]): Out[] {
  const found = new Map<string, string>();
  for (const { resource, type, raised } of alarms) {
    if (!OUT.includes(type)) continue;
    const known = found.get(resource);
    if (known === undefined || raised < known) found.set(resource, raised);
  }
  return [...found].map(([site, since]) => ({ site, since })).sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : a.site < b.site ? -1 : 1));
}

/** Sites that are out for one reason, or of which it is not known. */
export interface Outage {
  cause?: Cause;
  sites: Out[];
}

/** By what tasks say is the reason: in the order of what is out longest. */
export function outages(all: Out[], why: (site: string) => Cause | undefined): Outage[] {
  const found = new Map<string, Outage>();
  for (const it of all) {
    const cause = why(it.site);
    const known = found.get(cause?.element ?? '');
    if (known) known.sites.push(it);
    else found.set(cause?.element ?? '', { cause, sites: [it] });
  }
  return [...found.values()];
}
