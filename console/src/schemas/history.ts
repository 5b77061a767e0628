// How patches were decided, and why: each is told once, and one that was refused is kept nowhere else. Pure but for
// asking. Read next: ../replay.ts; ../pages/Schemas.svelte.
import { lastSince } from '../replay';

/** What became of a patch (`schema-update`). */
export interface Decided {
  /** Its place in the log. */
  id: number;
  at: string;
  patch: string;
  schema: string;
  change: 'patch-approved' | 'patch-rejected';
  /** Who did it, if not time. */
  who?: string;
  reason?: string;
}

/** Of one event, if somebody approved, refused or ended a patch by it, or its time did. */
export function decided(id: number, notification: Record<string, unknown>): Decided | undefined {
  const told = notification['convoke-schema:schema-update'] as Record<string, string | undefined> | undefined;
  const change = told?.['change'];
  if (!told?.['patch-id'] || (change !== 'patch-approved' && change !== 'patch-rejected')) return undefined;
  return {
    id,
    at: String(notification['eventTime'] ?? ''),
    patch: told['patch-id'],
    schema: told['schema-id'] ?? '',
    change,
    who: told['principal'],
    reason: told['reason'],
  };
}

/** What was decided since then, the last first. */
export async function history(since: string, most: number, signal: AbortSignal): Promise<Decided[]> {
  return (await lastSince(since, '/convoke-schema:schema-update', most, decided, signal)).reverse();
}
