// What was negotiated of which task, and in how many rounds: pages of tasks do not tell it, so it is read where it is
// looked for, again once something was said, and not more often than that is worth. Read next: filter.ts.
import { paced } from '../paced';
import { read, Refused } from '../restconf';

/** As it is read: no more than whether and in which rounds. */
export type Told = { 'task-id': string; negotiation?: { kind: string; turn?: { round: number }[] }[] };

const PATH = 'convoke-registry:registry?fields=task(task-id;negotiation(kind;turn(round)))';
const APART_MS = 15_000;

/** In how many rounds something was talked over. */
export const roundsOf = (it: { turn?: { round: number }[] }) => new Set(it.turn?.map(({ round }) => round)).size;

/** The rounds of each task that was negotiated: before it, about its decision, or about a result that was not taken at once. */
export function negotiated(tasks: Told[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { 'task-id': name, negotiation = [] } of tasks) {
    const talks = negotiation.filter((it) => it.kind !== 'result' || roundsOf(it) > 1);
    if (talks.length > 0) found.set(name, talks.reduce((sum, it) => sum + roundsOf(it), 0));
  }
  return found;
}

export class Talks {
  rounds = $state.raw(new Map<string, number>());
  error = $state.raw<Error>();

  /** Reads it, or again once it may be read again. */
  look = paced(async () => {
    try {
      this.rounds = negotiated((await read<{ task?: Told[] }>(PATH))?.task ?? []);
      this.error = undefined;
    } catch (error) {
      // What is not his to read is nothing to him.
      if (!(error instanceof Refused && error.status === 403)) this.error = error as Error;
    }
  }, APART_MS);
}
