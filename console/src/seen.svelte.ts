// What is done only while somebody looks at the tab: one that nobody looks at holds no connection, of which a browser
// has a few, and asks for nothing. Read next: paced.ts, how what is asked for again is spaced.
import { on } from 'svelte/events';
import { createSubscriber } from 'svelte/reactivity';
import { repeated } from './paced';

const subscribe = createSubscriber((update) => on(document, 'visibilitychange', update));

/** Whether the tab is looked at; where that is asked reactively, it is asked again once it changes. */
export function isSeen(): boolean {
  subscribe();
  return !document.hidden;
}

/**
 * Follows something while the tab is looked at and the component that calls this is there: the signal is aborted when
 * either ends, and what follows reads is watched as in an effect.
 */
export function whileSeen(follow: (signal: AbortSignal) => void): void {
  $effect(() => {
    if (!isSeen()) return;
    const over = new AbortController();
    follow(over.signal);
    return () => over.abort();
  });
}

/** Looks at once when the tab is looked at, and again so long after each look is over. What fails the look itself tells. */
export function pollWhileSeen(look: (signal: AbortSignal) => Promise<unknown>, apartMs: number): void {
  whileSeen((signal) => repeated(look, apartMs, signal));
}
