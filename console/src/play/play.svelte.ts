// What is broken and what was found about it, asked for anew every few seconds: no event tells the truth.
// Read next: faults.ts; Play.svelte, the page.
import { session } from '../actor.svelte';
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
  #looks = 0;

  /** Looks again and again, until it is aborted. */
  follow(signal: AbortSignal): void {
    const look = () => void this.look();
    look();
    const again = setInterval(look, AGAIN_MS);
    signal.addEventListener('abort', () => clearInterval(again));
  }

  /** Looks now. An answer that is overtaken by a later one changes nothing. */
  async look(): Promise<void> {
    this.#looks += 1;
    const mine = this.#looks;
    const asked = async <T>(rpc: string, input = {}) => (session.may(rpc) ? carryOut<T>(rpc, input) : undefined);
    try {
      const [faults, score, comparison] = await Promise.all([
        asked<{ fault?: Fault[] }>(LIST, { ended: true }),
        mine % SCORE_EACH === 1 ? asked<{ fault?: Judgement[] }>(SCORE) : undefined,
        asked<Comparison>(COMPARISON),
      ]);
      if (mine !== this.#looks) return;
      this.faults = [...(faults?.fault ?? [])].reverse();
      if (score) this.judgements = new Map((score.fault ?? []).map((it) => [it.id, it]));
      this.comparison = comparison ?? { state: 'none' };
      this.isKnown = true;
      this.error = undefined;
    } catch (error) {
      if (mine === this.#looks) this.error = error as Error;
    }
  }
}

export const play = new Play();
