// What happens, followed from a snapshot on: without a gap, without a duplicate, and without a queue that grows.
//
//   snapshot (state and its cursor) ─► stream from the cursor ─► queue ─► the page, a few times a second
//        ▲                                    │ cut: again from the last event that was taken
//        └── too much at once, or not kept ◄──┘
//
// It knows no resource: the page takes the snapshot and the events. Read next: frames.ts, platform.svelte.ts.
import { Frames } from './frames';

export type Condition = 'connecting' | 'live' | 'cut' | 'signed-out';

export interface Event {
  /** Its place in the log. */
  id: number;
  /** The notification (RFC 8040 §6.4). */
  notification: Record<string, unknown>;
}

/** What the layer needs of its surroundings, which tests replace. */
export interface Surroundings {
  /**
   * Takes the state anew; the place in the log from which on events are wanted. Whoever may not see how long the log
   * is has none, and is followed from now on.
   */
  snapshot(): Promise<number | undefined>;
  /** Applies events, in their order. */
  apply(events: Event[]): void;
  condition(now: Condition): void;
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Calls back when it is time to draw. */
  frame(then: () => void): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The most events that wait for a picture; with more than that, the state is taken anew. */
export const QUEUE_MAX = 4_096;

const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 15_000;

/** Follows until it is aborted, or nobody is signed in any more. */
export async function follow(at: Surroundings, signal: AbortSignal): Promise<void> {
  let waitMs = WAIT_MIN_MS;
  let cursor: number | undefined;
  let isTaken = false;
  at.condition('connecting');
  while (!signal.aborted) {
    try {
      if (!isTaken) cursor = await at.snapshot();
      isTaken = true;
      await stream(at, cursor, signal, (id) => {
        cursor = id;
        waitMs = WAIT_MIN_MS;
      });
      // The platform ends a stream when it stops; another node may go on.
    } catch (error) {
      if (signal.aborted) return;
      if (isStatus(error, 401)) return at.condition('signed-out');
      if (error instanceof Overrun || isStatus(error, 400)) isTaken = false;
    }
    if (signal.aborted) return;
    if (isTaken) at.condition('cut');
    // Without a place to go on from, the state is asked for again.
    isTaken &&= cursor !== undefined;
    await at.wait(waitMs, signal);
    waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
  }
}

/** More has come than is drawn. */
class Overrun extends Error {}

class Status extends Error {
  constructor(readonly status: number) {
    super(`status ${status}`);
  }
}

function isStatus(error: unknown, status: number): boolean {
  return (error as { status?: number } | null)?.status === status;
}

async function stream(
  at: Surroundings,
  from: number | undefined,
  signal: AbortSignal,
  taken: (id: number) => void,
): Promise<void> {
  const answer = await at.fetch('/restconf/streams/NETCONF/json', {
    headers: { Accept: 'text/event-stream', ...(from === undefined ? {} : { 'Last-Event-ID': String(from) }) },
    signal,
  });
  if (!answer.ok || !answer.body) throw new Status(answer.status);
  at.condition('live');
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  const frames = new Frames();
  let last = from ?? 0;
  let queue: Event[] = [];
  let isOver = false;
  const draw = () => {
    if (isOver || queue.length === 0) return;
    const events = queue;
    queue = [];
    at.apply(events);
    taken(events[events.length - 1]!.id);
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const isFirst = queue.length === 0;
      for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
        const id = Number(frame.id);
        // Marks have no place, and what was before the cursor is known.
        if (!(id > last)) continue;
        last = id;
        const told = JSON.parse(frame.data) as Record<string, Record<string, unknown>>;
        queue.push({ id, notification: told['ietf-restconf:notification'] ?? {} });
      }
      if (queue.length > QUEUE_MAX) {
        queue = [];
        throw new Overrun();
      }
      if (isFirst && queue.length > 0) at.frame(draw);
    }
  } finally {
    // What has come is not asked for again.
    draw();
    isOver = true;
    reader.cancel().catch(() => {});
  }
}
