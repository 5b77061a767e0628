// What happened before, as far as the log is kept: replayed as a stream that is left when it has been told all
// (RFC 5277 §2.2). The mark that ends it says what time it is at the platform. Read next: rules/history.ts,
// schemas/history.ts; platform.svelte.ts, which sets its clock by it.
import { Frames } from './frames';
import { SILENCE_MS } from './live';
import { ask, PLATFORM, Refused } from './restconf';

type Notification = Record<string, unknown>;
type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>;

/**
 * Hands over what happened since then that a filter takes, one by one with its place; the moment at the platform when
 * all had been told, in milliseconds, or nothing if that was not said. Of the platform, unless another root is said.
 */
export async function replay(
  since: string,
  filter: string,
  take: (id: number, it: Notification) => void,
  signal: AbortSignal,
  root = PLATFORM,
): Promise<number | undefined> {
  const asked = new URLSearchParams({ 'start-time': since, filter });
  const over = new AbortController();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => over.abort(new Error('silent')), SILENCE_MS);
  };
  heard();
  try {
    const answer = await ask(`${root}/streams/NETCONF/json?${asked}`, {
      headers: { Accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, over.signal]),
    });
    if (!answer.ok || !answer.body) throw new Refused(answer.status, answer.statusText);
    const reader = answer.body.getReader();
    return await replayed({ read: () => (heard(), reader.read()) }, take);
  } finally {
    clearTimeout(silence);
    over.abort();
  }
}

/** How many events are looked at for one answer. */
export const LOOKED_MAX = 10_000;

/** More happened than is looked at. */
export class TooMuch extends Error {}

/** What was read of what happened, and the moment at the platform up to which that is all; none if it was not said. */
export interface Past<T> {
  all: T[];
  at?: number;
}

/** The last of what is read out of what happened since then, in its order; fails if more than `looked` events did. */
export async function pastSince<T>(
  since: string,
  filter: string,
  most: number,
  read: (id: number, it: Notification) => T | undefined,
  signal: AbortSignal,
  looked = LOOKED_MAX,
  root?: string,
): Promise<Past<T>> {
  const all: T[] = [];
  let count = 0;
  const take = (id: number, notification: Notification) => {
    if ((count += 1) > looked) throw new TooMuch('too much');
    const one = read(id, notification);
    if (one && all.push(one) > most) all.shift();
  };
  const at = await replay(since, filter, take, signal, root);
  return { all, at };
}

/** What is left of a span is not halved any more. */
const SPAN_MIN_MS = 1_000;

/** Asks since then; while too much happened, since the middle of what is left. What was told, and since when. */
export async function later<T>(since: number, until: number, ask: (since: number) => Promise<T>): Promise<[told: T, since: number]> {
  for (let from = since; ; from = (from + until) / 2) {
    try {
      return [await ask(from), from];
    } catch (error) {
      if (!(error instanceof TooMuch) || until - from < SPAN_MIN_MS) throw error;
    }
  }
}

/** The last of what is read of what happened between two moments, in its order. */
export interface Last<T> {
  all: T[];
  /** Since when all is told, if too much happened before and something may be missing for it. */
  cut?: number;
}

/** The last of it; where more happened than is looked at, of less time. */
export async function lastBetween<T>(
  since: number,
  until: number,
  filter: string,
  most: number,
  read: (id: number, it: Notification) => T | undefined,
  signal: AbortSignal,
  root?: string,
): Promise<Last<T>> {
  const ask = (from: number) => pastSince(new Date(from).toISOString(), filter, most, read, signal, LOOKED_MAX, root);
  const [{ all }, from] = await later(since, until, ask);
  return { all, cut: from > since && all.length < most ? from : undefined };
}

/** The events of a replay, up to the mark that ends it; one that is cut before has not told all. */
export async function replayed(reader: Reader, take: (id: number, it: Notification) => void): Promise<number | undefined> {
  const decoder = new TextDecoder();
  const frames = new Frames();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error('cut');
    for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
      const told = JSON.parse(frame.data) as Record<string, Notification>;
      const notification = told['ietf-restconf:notification'] ?? {};
      if (notification['nc-notifications:replayComplete']) {
        const at = Date.parse(String(notification['eventTime'] ?? ''));
        return Number.isNaN(at) ? undefined : at;
      }
      take(Number(frame.id), notification);
    }
  }
}
