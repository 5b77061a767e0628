// What was negotiated of which task, and in how many rounds: pages of tasks do not tell it, so all of it is read where it
// is looked for. Pure. Read next: filter.ts; ../pages/Tasks.svelte.

/** As it is read: no more than whether and in which rounds. */
export interface Told {
  task?: { 'task-id': string; negotiation?: { kind: string; turn?: { round: number }[] }[] }[];
}

export const TALKS = 'convoke-registry:registry?fields=task(task-id;negotiation(kind;turn(round)))';

/** In how many rounds each task was negotiated: before it, about its decision, or about a result that was not taken at once. */
export function negotiated({ task = [] }: Told): Map<string, number> {
  const found = new Map<string, number>();
  for (const { 'task-id': name, negotiation = [] } of task) {
    for (const { kind, turn } of negotiation) {
      const rounds = new Set(turn?.map(({ round }) => round)).size;
      if (kind !== 'result' || rounds > 1) found.set(name, (found.get(name) ?? 0) + rounds);
    }
  }
  return found;
}
