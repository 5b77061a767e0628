// What is broken and what was found about it, asked for anew every few seconds: no event tells the truth.
// Read next: faults.ts; Play.svelte, the page.
import { session } from '../actor.svelte';
import { repeated } from '../paced';
import { carryOut } from '../restconf';
import type { Comparison } from './days';
import { COMPARISON, LIST, SCORE, type Fault, type Judgement } from './faults';

const AGAIN_MS = 3_000;
/** The score takes the platform some work: it is asked for every so many times. */
const SCORE_EACH = 3;

class Play {
  /** All that broke since the platform began, the last first. */
  faults = $state.raw<Fault[]>([]);
  judgements = $state.raw(new Map<number, Judgement>());
  comparison = $state.raw<Comparison>({ state: 'none' });
  isKnown = $state(false);
  error = $state.raw<Error>();
  scoreError = $state.raw<Error>();
  #looks = 0;
  #shown = 0;
  #scores = 0;
  #scored = 0;
  #isScoring = false;

  /** Looks again and again, each time after the last, until it is aborted. */
  follow(signal: AbortSignal): void {
    let round = 0;
    const look = async (): Promise<void> => {
      if (round % SCORE_EACH === 0 && !this.#isScoring) void this.#score(signal);
      round += 1;
      await this.#look(signal);
    };
    repeated(look, AGAIN_MS, signal);
  }

  /** Looks now, after something was done. */
  async look(): Promise<void> {
    void this.#score();
    await this.#look();
  }

  async #asked<T>(rpc: string, signal?: AbortSignal, input = {}): Promise<T | undefined> {
    return session.may(rpc) ? carryOut<T>(rpc, input, undefined, undefined, signal) : undefined;
  }

  /** An answer that is older than what is shown changes nothing. */
  async #look(signal?: AbortSignal): Promise<void> {
    this.#looks += 1;
    const mine = this.#looks;
    try {
      const [faults, comparison] = await Promise.all([
        this.#asked<{ fault?: Fault[] }>(LIST, signal, { ended: true }),
        this.#asked<Comparison>(COMPARISON, signal),
      ]);
      if (mine < this.#shown) return;
      this.#shown = mine;
      const now = [...(faults?.fault ?? [])].reverse();
      const others = renumbered(this.faults, now);
      this.faults = now;
      this.comparison = comparison ?? { state: 'none' };
      this.isKnown = true;
      this.error = undefined;
      if (others.size > 0) {
        // Numbers begin anew with the platform: what was found, or is being told, is of others.
        this.judgements = new Map([...this.judgements].filter(([id]) => !others.has(id)));
        this.#scored = this.#scores + 1;
        void this.#score(signal);
      }
    } catch (error) {
      if (mine >= this.#shown && !signal?.aborted) this.error = error as Error;
    }
  }

  /** What was found: asked for by itself, as it takes longer. */
  async #score(signal?: AbortSignal): Promise<void> {
    this.#scores += 1;
    const mine = this.#scores;
    this.#isScoring = true;
    try {
      const score = await this.#asked<{ fault?: Judgement[] }>(SCORE, signal);
      if (mine < this.#scored) return;
      this.#scored = mine;
      this.judgements = new Map((score?.fault ?? []).map((it) => [it.id, it]));
      this.scoreError = undefined;
    } catch (error) {
      if (mine >= this.#scored && !signal?.aborted) this.scoreError = error as Error;
    } finally {
      if (mine === this.#scores) this.#isScoring = false;
    }
  }
}

/** The numbers that are of other faults now than before. */
function renumbered(before: Fault[], now: Fault[]): Set<number> {
  const began = new Map(now.map((it) => [it.id, it.began]));
  return new Set(before.filter((it) => began.get(it.id) !== it.began).map((it) => it.id));
}

export const play = new Play();
