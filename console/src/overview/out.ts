// What is out of service, since when, and why: by alarms, and by the tasks that have found the cause, mend it or name
// it; and what was lately. Pure. Read next: ../network/cause.ts; Out.svelte.
import { hasEnded } from '../acting';
import { OUT, type Alarm } from '../network/alarms';
import type { Cause } from '../network/cause';
import type { Task } from '../platform.svelte';

export interface Out {
  site: string;
  /** Since when, as the first of its alarms says. */
  since: string;
}

/** The sites of such alarms, those that are out longest first. */
export function out(alarms: Alarm[]): Out[] {
  const found = new Map<string, string>();
  for (const { resource, type, raised } of alarms) {
    if (!OUT.includes(type)) continue;
    const known = found.get(resource);
    if (known === undefined || raised < known) found.set(resource, raised);
  }
  return [...found].map(([site, since]) => ({ site, since })).sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : a.site < b.site ? -1 : 1));
}

/** How long it is told that a site is back, in milliseconds. */
const LATELY_MS = 900_000;

/** The sites that are in service again since a while, and for how long each was not, the last first. */
export function back(alarms: Alarm[], now: number): { site: string; atMs: number; lastedMs: number }[] {
  const isOut = new Set(alarms.filter((it) => !it.isCleared && OUT.includes(it.type)).map((it) => it.resource));
  const over = alarms.filter((it) => it.isCleared && OUT.includes(it.type) && it.changedMs > now - LATELY_MS && !isOut.has(it.resource));
  return out(over)
    .map(({ site, since }) => {
      const atMs = Math.max(...over.filter((it) => it.resource === site).map((it) => it.changedMs));
      return { site, atMs, lastedMs: atMs - Date.parse(since) };
    })
    .sort((a, b) => b.atMs - a.atMs);
}

/** Sites that are out for one reason; or of which it is not known, and one task, or none, is about them. */
export interface Outage {
  cause?: Cause;
  about?: Task;
  since: string;
  /** By name. */
  sites: string[];
}

/** A site, as agents name it in the words and payloads of tasks, or as people do. */
const SITE = /\bsite[: ]([^\s"',;()[\]{}]+)/gi;

/** The open task that names each site: one that diagnoses before others, of which the one that began first. */
export function about(tasks: Iterable<Task>): Map<string, Task> {
  const isOther = (it: Task) => +!it.type?.includes('diagnosis');
  const open = [...tasks].filter((it) => !hasEnded(it) && it.content);
  open.sort((a, b) => isOther(a) - isOther(b) || ((a['created-at'] ?? '') < (b['created-at'] ?? '') ? -1 : 1));
  const found = new Map<string, Task>();
  for (const task of open) {
    // A sentence may end with its name.
    for (const [, name] of task.content!.matchAll(SITE)) {
      const site = `site:${name!.replace(/[.:!?]+$/, '')}`;
      if (!found.has(site)) found.set(site, task);
    }
  }
  return found;
}

/** By what tasks say is the reason: in the order of what is out longest. */
export function outages(all: Out[], why: (site: string) => Cause | undefined, who: (site: string) => Task | undefined): Outage[] {
  const found = new Map<string, Outage>();
  for (const { site, since } of all) {
    const cause = why(site);
    const about = cause ? undefined : who(site);
    // A task may be called as an element is.
    const key = cause ? `c ${cause.element}` : about ? `t ${about['task-id']}` : '';
    const known = found.get(key);
    if (known) known.sites.push(site);
    else found.set(key, { cause, about, since, sites: [site] });
  }
  for (const it of found.values()) it.sites.sort();
  return [...found.values()];
}
