// The log of the platform stepped through, with what the network told meanwhile: which task was in which state after which
// event, which alarms were open, what rules had decided. Pure but for the reading, which is given its surroundings.
// Read next: Replay.svelte.
import { Frames } from '../frames';
import type { Event } from '../live';
import { notified, open, type Alarm, type Notified } from '../network/alarms';
import { ruled as readRuled } from '../rules/history';
import type { Ruled } from '../rules/terms';

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

/** What a management system told of an alarm, when it told it. */
export interface AlarmTold {
  at: string;
  alarm: Notified;
}

export function alarmTold(_: number, notification: Record<string, unknown>): AlarmTold | undefined {
  const alarm = notification['ietf-alarms:alarm-notification'] as Notified | undefined;
  return alarm && { at: String(notification['eventTime'] ?? ''), alarm };
}

/** One thing that changed: a task, an alarm, or what a rule decided. */
export type Step = { at: string; task?: Moment; alarm?: Notified; ruled?: Ruled };

/** All that changed, in the order of its time; of the log in its own. */
export function steps(events: Event[], alarms: AlarmTold[]): Step[] {
  const log = events.flatMap((event): Step[] => {
    const ruled = readRuled(event.id, event.notification);
    if (ruled) return ruled.change === 'decided' ? [{ at: ruled.at, ruled }] : [];
    return moments([event]).map((task) => ({ at: task.at, task }));
  });
  return [...log, ...alarms].map((it) => ({ it, ms: Date.parse(it.at) })).sort((a, b) => a.ms - b.ms).map(({ it }) => it);
}

/** How it stood after so many steps. */
export interface Then {
  /** Each with its last change by then, what changed last first. */
  tasks: Moment[];
  /** The open ones, the worst first. */
  alarms: Alarm[];
  /** What rules had decided, the last first. */
  ruled: Ruled[];
}

export function after(all: Step[], count: number): Then {
  const tasks = new Map<string, Moment>();
  const alarms = new Map<string, Alarm>();
  const ruled: Ruled[] = [];
  for (const it of all.slice(0, count)) {
    if (it.task) {
      tasks.delete(it.task.task);
      tasks.set(it.task.task, it.task);
    }
    if (it.alarm) notified(alarms, it.alarm);
    if (it.ruled) ruled.unshift(it.ruled);
  }
  return { tasks: [...tasks.values()].reverse(), alarms: open(alarms.values()), ruled };
}

/** How many there are of each, most first. */
export function counts<T>(of: T[]): [it: T, count: number][] {
  const found = new Map<T, number>();
  for (const it of of) found.set(it, (found.get(it) ?? 0) + 1);
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
