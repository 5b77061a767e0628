// What happens, followed from a snapshot on: without a gap, without a duplicate, and without a queue that grows.
//
//   snapshot (state and its cursor) ─► stream from the cursor ─► queue ─► the page, a few times a second
//        ▲                                    │ cut, or silent: again from the last event that was taken
//        └── too much at once, not kept, ◄────┘
//            or the log is another
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
  /** The API resource whose stream it is. */
  root: string;
  /**
   * True of a log that tells nobody how long it is, and is another after a restart. Each stream of it begins with what
   * happens now, and the state is taken once it has begun: what came before is in that, all else is told after it.
   */
  isFromNow?: boolean;
  /**
   * Takes the state anew; the place in the log from which on events are wanted. Whoever may not see how long the log
   * is has none, and is followed from now on.
   */
  snapshot(): Promise<number | undefined>;
  /** How long the log is now, if that is told. */
  end(): Promise<number | undefined>;
  /** Whether somebody is signed in; asked where the platform says that nobody is. */
  isSignedIn(): Promise<boolean>;
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

/** The platform says something every 15 s: what is silent for so long is broken. */
export const SILENCE_MS = 40_000;

const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 15_000;

/** Follows until it is aborted, or nobody is signed in any more; from a place on, if the state there was taken before. */
export async function follow(at: Surroundings, signal: AbortSignal, from?: number): Promise<void> {
  let waitMs = WAIT_MIN_MS;
  let cursor = from;
  let isTaken = from !== undefined;
  at.condition('connecting');
  while (!signal.aborted) {
    try {
      if (!isTaken && !at.isFromNow) cursor = await at.snapshot();
      isTaken = true;
      await stream(at, cursor, signal, (id) => {
        if (!at.isFromNow) cursor = id;
        waitMs = WAIT_MIN_MS;
      });
      // The platform ends a stream when it stops; another node may go on.
    } catch (error) {
      if (signal.aborted) return;
      // What cannot be said is no yes and no no.
      const isOut = isStatus(error, 401) && !(await at.isSignedIn().catch(() => true));
      if (signal.aborted) return;
      if (isOut) return at.condition('signed-out');
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

/** More has come than is drawn, or from another log than what is drawn. */
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
  applied: (id: number) => void,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const answer = await at.fetch(`${at.root}/streams/NETCONF/json`, {
      headers: { Accept: 'text/event-stream', ...(from === undefined ? {} : { 'Last-Event-ID': String(from) }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!answer.ok || !answer.body) throw new Status(answer.status);
    // A log that is shorter than what is known of it is another, as after a restore.
    if (from !== undefined && ((await at.end()) ?? from) < from) {
      answer.body.cancel().catch(() => {});
      throw new Overrun();
    }
    if (at.isFromNow) await at.snapshot();
    heard();
    at.condition('live');
    await taken(at, answer.body, from, heard, applied);
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the events of a stream until it ends. */
async function taken(
  at: Surroundings,
  body: ReadableStream<Uint8Array>,
  from: number | undefined,
  heard: () => void,
  applied: (id: number) => void,
): Promise<void> {
  const reader = body.getReader();
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
    applied(events[events.length - 1]!.id);
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      const isFirst = queue.length === 0;
      for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
        const id = Number(frame.id);
        // Marks have no place.
        if (Number.isNaN(id)) continue;
        if (id <= last) {
          queue = [];
          throw new Overrun();
        }
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
