// Open alarms, those of one cause in one: what tasks say is broken tells what belongs to it, and without a cause what is of one
// element on the map does, as that a site does not answer and that it is out of service. Pure. Read next: Alarms.svelte.
import type { Alarm } from './alarms';
import type { Cause } from './cause';
import { owner, type Element } from './elements';

export interface Folded {
  /** What these have in common: the element that is broken, or the one that has them. */
  key: string;
  cause?: Cause;
  /** In the order of the alarms, so that the worst is first. */
  alarms: Alarm[];
}

/** Alarms by what they are of, in the order of the first of each. What `found` has first is told rather than what comes later. */
export function folded(all: Map<string, Element>, found: Cause[], alarms: Alarm[]): Folded[] {
  const broken = new Map<string, Cause>();
  const touched = new Map<string, Cause>();
  for (const it of [...found].reverse()) {
    broken.set(it.element, it);
    for (const id of it.touches) touched.set(id, it);
  }
  const folds = new Map<string, Folded>();
  for (const alarm of alarms) {
    const element = all.get(alarm.resource);
    // A link tells what is wrong where it ends.
    const own = [alarm.resource, element?.parent ?? '', ...[alarm.resource, ...(element?.ends ?? [])].map((id) => owner(all, id))];
    const cause = [broken, touched].flatMap((of) => own.flatMap((id) => of.get(id) ?? []))[0];
    const key = cause?.element ?? owner(all, alarm.resource);
    const known = folds.get(key);
    if (known) known.alarms.push(alarm);
    else folds.set(key, { key, cause, alarms: [alarm] });
  }
  return [...folds.values()];
}
