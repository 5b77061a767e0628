// What the console knows of what waits and of standing rules: read anew when something changed, once a second at most.
// The number alone while no page shows more. Read next: waiting.ts; ../rules/terms.ts.
import { paced } from '../paced';
import { read, Refused } from '../restconf';
import type { Rule } from '../rules/terms';
import { pollWhileSeen } from '../seen.svelte';
import type { Waiting } from './waiting';

/** Parts of `/policy` that pages show. */
type Part = 'waiting' | 'rule';

const APART_MS = 1_000;
/** Nothing tells of rights that changed, or of a rule whose time is over: what is looked at is read again after that. */
const AGAIN_MS = 15_000;

class Inbox {
  /** How many decisions wait; none while that is not known, or for whoever may not see it. */
  count = $state<number>();
  /** The first of them, the longest waiting first. */
  waiting = $state.raw<Waiting[]>([]);
  rules = $state.raw<Rule[]>([]);
  /** True once the parts that are watched were read. */
  isKnown = $state(false);
  /** Whether the user may see any of it. */
  isDenied = $state(false);
  error = $state.raw<Error>();
  #watched: Record<Part, number> = { waiting: 0, rule: 0 };
  #known = new Set<Part>();
  #looks = 0;
  #shown = 0;
  #ask = paced(async () => void (await this.look()), APART_MS);

  /** Something may have changed. */
  news(): void {
    this.#ask();
  }

  /** Keeps a part of it known until what is returned is called. */
  watch(part: Part): () => void {
    this.#watched[part] += 1;
    this.#known.delete(part);
    this.isKnown = false;
    this.#ask();
    return () => void (this.#watched[part] -= 1);
  }

  #parts(): Part[] {
    return (Object.keys(this.#watched) as Part[]).filter((part) => this.#watched[part] > 0);
  }

  /** Reads it now, whatever was read before; why that failed, if it did. An answer that is overtaken changes nothing. */
  async look(): Promise<Error | undefined> {
    this.#looks += 1;
    const mine = this.#looks;
    const parts = this.#parts();
    const fields = ['waiting-count', ...parts].join(';');
    try {
      const told = await read<{ 'waiting-count': string; waiting?: Waiting[]; rule?: Rule[] }>(`convoke-policy:policy?fields=${fields}`);
      if (mine < this.#shown) return undefined;
      this.#shown = mine;
      this.isDenied = told === undefined;
      this.count = told && Number(told['waiting-count']);
      if (parts.includes('waiting')) this.waiting = told?.waiting ?? [];
      if (parts.includes('rule')) this.rules = told?.rule ?? [];
      for (const part of parts) this.#known.add(part);
      const watched = this.#parts();
      this.isKnown = watched.length > 0 && watched.every((part) => this.#known.has(part));
      this.error = undefined;
      return undefined;
    } catch (error) {
      if (mine < this.#shown) return error as Error;
      this.isDenied = error instanceof Refused && error.status === 403;
      if (this.isDenied) this.count = undefined;
      else this.error = error as Error;
      return error as Error;
    }
  }
}

export const inbox = new Inbox();

/** Keeps a part of it known while the page that calls this is open. */
export function follow(part: Part): void {
  $effect(() => inbox.watch(part));
  pollWhileSeen(async () => inbox.news(), AGAIN_MS);
}
