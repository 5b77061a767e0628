// What the live layer has around it in a browser, whichever log is followed. Read next: live.ts.
import type { Surroundings } from './live';
import { ask, who } from './restconf';

/** Between two pictures: sooner nobody reads, and all tasks are sorted for each. */
const DRAW_MS = 200;

export const SURROUNDINGS: Pick<Surroundings, 'isSignedIn' | 'fetch' | 'frame' | 'wait'> = {
  isSignedIn: async () => (await who()) !== undefined,
  fetch: ask,
  frame: (then) => void setTimeout(then, DRAW_MS),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    }),
};
