// Who looks at an offer while another takes its place accepts neither by a press that was meant for the first.
import { offered, round, type Standing, type Turn } from './threads.svelte';

const HELD_MS = 1_000;

/** What stands to be accepted, as a name of it: the round and what is offered there; nothing while that is not known. */
export function stands(of: Standing | undefined, kind: string, side: Turn['by'] = 'publisher'): string | undefined {
  const turn = offered(of?.rounds.find((it) => it.kind === kind), side === 'publisher' ? 'executor' : 'publisher');
  return turn && JSON.stringify([kind, round(of, kind, side), turn.content, turn.refusal]);
}

/** Whether an acceptance is held: for a moment, once something else stands than stood there before. */
export class Held {
  now = $state(false);
  #seen: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Takes what stands now. */
  look(name: string | undefined): void {
    if (name === undefined || name === this.#seen) return;
    if (this.#seen !== undefined) {
      this.now = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => (this.now = false), HELD_MS);
    }
    this.#seen = name;
  }
}
