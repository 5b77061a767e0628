// How patches were decided, and why: each is told once, and one that was refused is kept nowhere else. Pure but for
// asking. Read next: ../replay.ts; ../pages/Schemas.svelte.
import { lastBetween, type Last } from '../replay';

/** What became of a patch (`schema-update`). */
export interface Decided {
  /** Its place in the log. */
  id: number;
  at: string;
  patch: string;
  schema: string;
  /** Rejected is one of which it is not known whether it was in use before: then it was ended, else refused. */
  change: 'patch-approved' | 'patch-rejected' | 'patch-refused' | 'patch-ended';
  /** Its keys, as far as that is kept. */
  keys?: string[];
  /** Who did it, if not time. */
  who?: string;
  reason?: string;
}

/** What one event tells of a patch; nothing if it is about none. */
export type Told = Omit<Decided, 'change'> & { change: string };

export function told(id: number, notification: Record<string, unknown>): Told | undefined {
  const it = notification['convoke-schema:schema-update'] as (Record<string, string | undefined> & { 'key-name'?: string[] }) | undefined;
  if (!it?.['patch-id'] || !it['change']) return undefined;
  return {
    id,
    at: String(notification['eventTime'] ?? ''),
    patch: it['patch-id'],
    schema: it['schema-id'] ?? '',
    change: it['change'],
    keys: it['key-name'],
    who: it['principal'],
    reason: it['reason'],
  };
}

/** Of one event, if somebody approved, refused or ended a patch by it, or its time did. */
export function decided(id: number, notification: Record<string, unknown>): Told | undefined {
  const it = told(id, notification);
  return it && ['patch-approved', 'patch-rejected'].includes(it.change) ? it : undefined;
}

/** What was decided, the last first; all is told in its order. */
export function decisions(all: Told[]): Decided[] {
  const found: Decided[] = [];
  /** What became of each patch before. */
  const before = new Map<string, Set<string>>();
  const keys = new Map<string, string[]>();
  for (const it of all) {
    const changes = before.get(it.patch) ?? new Set();
    before.set(it.patch, changes);
    if (it.keys) keys.set(it.patch, it.keys);
    if (it.change === 'patch-approved') found.push({ ...it, change: it.change });
    if (it.change === 'patch-rejected') {
      const isEnded = !it.who || changes.has('patch-active');
      found.push({ ...it, change: isEnded ? 'patch-ended' : changes.has('patch-pending') ? 'patch-refused' : it.change });
    }
    changes.add(it.change);
  }
  return found.map((it) => ({ ...it, keys: keys.get(it.patch) })).reverse();
}

/** Of a patch as much is told before it is decided. */
const EACH = 4;

/** What was decided between two moments, the last first. */
export async function history(since: number, until: number, most: number, signal: AbortSignal): Promise<Last<Decided>> {
  const last = await lastBetween(since, until, '/convoke-schema:schema-update', most * EACH, told, signal);
  return { ...last, all: decisions(last.all).slice(0, most) };
}
