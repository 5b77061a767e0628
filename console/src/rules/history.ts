// What became of standing rules before the page was opened, as far as the log is kept. Read next: ../replay.ts; terms.ts.
import { replay } from '../replay';
import type { Ruled } from './terms';

/** What is told of a rule, as an event has it. */
export function ruled(id: number, notification: Record<string, unknown>): Ruled | undefined {
  const told = notification['convoke-policy:policy-update'] as Omit<Ruled, 'id' | 'at'> | undefined;
  return told && { ...told, id, at: String(notification['eventTime'] ?? '') };
}

/** What became of rules since then, the last of it. */
export async function history(since: string, most: number, signal: AbortSignal): Promise<Ruled[]> {
  let found: Ruled[] = [];
  const take = (id: number, notification: Record<string, unknown>) => {
    const one = ruled(id, notification);
    if (one) found = [...found, one].slice(-most);
  };
  await replay(since, '/convoke-policy:policy-update', take, signal);
  return found;
}
