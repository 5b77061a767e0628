// Changes of the tasks, once a second at most: what is made of all of them is not made anew for each.
import { untrack } from 'svelte';
import { platform } from '../platform.svelte';

const BEAT_MS = 1_000;

/** What is returned tells the version of the tasks, once a second, while the component that calls this is there. */
export function beating(): () => number {
  let beat = $state(platform.version);
  $effect(() => {
    // What is there at last is shown at once.
    void platform.isKnown;
    const look = () => (beat = platform.version);
    untrack(look);
    const timer = setInterval(look, BEAT_MS);
    return () => clearInterval(timer);
  });
  return () => beat;
}
