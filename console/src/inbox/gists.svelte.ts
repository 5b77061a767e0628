// What is offered of each that waits, in a line of its own words, which the list of what waits does not have: read once
// for each offer, one after the other. Read next: Inbox.svelte; waiting.ts.
import { offered, standing } from '../task/threads.svelte';
import { brief, TALKS, type Waiting } from './waiting';

/** Of how many words are asked for. */
const WORDS_MAX = 50;

export class Gists {
  /** By what waits and the offer. */
  of = $state.raw(new Map<string, string>());
  #asked = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  /** Asks for what is not known yet of these. */
  look(waiting: Waiting[]): void {
    for (const it of waiting.slice(0, WORDS_MAX)) {
      if (!TALKS[it.kind] || this.#asked.has(offerOf(it))) continue;
      this.#asked.add(offerOf(it));
      this.#last = this.#last.then(() => this.#read(it));
    }
  }

  async #read(it: Waiting): Promise<void> {
    try {
      const told = await standing(it['task-id'] ?? '', it.kind === 'feasibility');
      const talk = told?.rounds.find((one) => one.kind === TALKS[it.kind]);
      const contents = talk && offered(talk, it.decider === talk.publisher ? 'executor' : 'publisher')?.content;
      if (contents) this.of = new Map(this.of).set(offerOf(it), contents.map(brief).filter(Boolean).join(' / '));
    } catch {
      // It is asked for again with the next list.
      this.#asked.delete(offerOf(it));
    }
  }
}

/** The name of the offer that waits: another is another. */
export const offerOf = (it: Waiting) => `${it.id} ${it.since} ${it.round ?? ''}`;
