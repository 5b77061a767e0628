// The log of the platform stepped through: which task was in which state after which event. Pure but for the reading,
// which is given its surroundings. Read next: Replay.svelte.
import { Frames } from '../frames';
import type { Event } from '../live';

/** A task that changed, at its place in the log. */
export interface Moment {
  id: number;
  at: string;
  task: string;
  state: string;
  from: string;
  to: string;
}

/** The most events that are stepped through, the last ones. */
export const EVENTS_MAX = 5_000;

interface Told {
  'task-id'?: string;
  'task-sendFrom': string;
  'task-sendTo': string;
  'input-required'?: { status: string }[];
}

/** The changes of tasks among events, in their order. */
export function moments(events: Event[]): Moment[] {
  return events.flatMap(({ id, notification }): Moment[] => {
    const told = notification['irtf-agent:condition-notifications'] as Told | undefined;
    const state = told?.['input-required']?.[0]?.status;
    if (!told?.['task-id'] || !state) return [];
    // What is told goes back to whoever assigned the task.
    const [from, to] = [told['task-sendTo'], told['task-sendFrom']];
    return [{ id, at: String(notification['eventTime'] ?? ''), task: told['task-id'], state, from, to }];
  });
}

/** The tasks as they were after so many moments: each with its last change by then, what changed last first. */
export function after(all: Moment[], count: number): Moment[] {
  const found = new Map<string, Moment>();
  for (const moment of all.slice(0, count)) {
    found.delete(moment.task);
    found.set(moment.task, moment);
  }
  return [...found.values()].reverse();
}

/** How many tasks are in which state, most first. */
export function counts(tasks: Moment[]): [state: string, count: number][] {
  const found = new Map<string, number>();
  for (const { state } of tasks) found.set(state, (found.get(state) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]);
}

/** The events of a log up to a place, out of a stream that goes on behind it. */
export async function upTo(body: ReadableStream<Uint8Array>, end: number): Promise<Event[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const frames = new Frames();
  const events: Event[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return events;
      for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
        const id = Number(frame.id);
        // Marks have no place.
        if (Number.isNaN(id)) continue;
        if (id > end) return events;
        const told = JSON.parse(frame.data) as Record<string, Record<string, unknown>>;
        events.push({ id, notification: told['ietf-restconf:notification'] ?? {} });
        if (id === end) return events;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
