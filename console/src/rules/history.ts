// What became of standing rules before the page was opened, as far as the log is kept. Read next: ../replay.ts; terms.ts.
import { lastBetween, type Last } from '../replay';
import type { Ruled } from './terms';

/** What is told of a rule, as an event has it. */
export function ruled(id: number, notification: Record<string, unknown>): Ruled | undefined {
  const told = notification['convoke-policy:policy-update'] as Omit<Ruled, 'id' | 'at'> | undefined;
  return told && { ...told, id, at: String(notification['eventTime'] ?? '') };
}

/** What became of rules between two moments, the last of it. */
export function history(since: number, until: number, most: number, signal: AbortSignal): Promise<Last<Ruled>> {
  return lastBetween(since, until, '/convoke-policy:policy-update', most, ruled, signal);
}
