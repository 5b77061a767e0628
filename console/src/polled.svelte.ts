// Data of which nothing tells that they changed: read again and again while somebody looks. Read next: seen.svelte.ts.
import { read, Refused } from './restconf';
import { pollWhileSeen } from './seen.svelte';

export class Polled<T> {
  value = $state.raw<T>();
  /** True once it is known what there is, or that there is nothing for this user. */
  isKnown = $state(false);
  /** Why the last look failed; none if it was not refused to this user alone. */
  error = $state.raw<Error>();

  constructor(
    readonly path: string,
    /** Told of what was read, and when. */
    readonly taken: (value: T | undefined, at: number) => void = () => {},
  ) {}

  /** Reads it now; what comes after the end changes nothing. */
  look = async (signal: AbortSignal): Promise<void> => {
    try {
      const value = await read<T>(this.path);
      if (signal.aborted) return;
      this.#take(value);
    } catch (error) {
      if (signal.aborted) return;
      // What is not his to read is nothing to him, as where the platform says that nothing is there.
      if (error instanceof Refused && error.status === 403) this.#take(undefined);
      else this.error = error as Error;
    }
  };

  #take(value: T | undefined): void {
    [this.value, this.isKnown, this.error] = [value, true, undefined];
    this.taken(value, Date.now());
  }

  /** Keeps it known while the component that calls this is there and looked at. */
  follow(apartMs: number): void {
    // Whoever comes back meets nothing that is stale, or that could not be drawn.
    $effect(() => () => void ([this.value, this.isKnown, this.error] = [undefined, false, undefined]));
    pollWhileSeen(this.look, apartMs);
  }
}
