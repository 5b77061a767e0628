// What the parties of a task agreed on, where that is other than what was asked for. Pure.
import { words } from '../words';
import type { Negotiation } from './threads.svelte';

/** The keys of the decision that was agreed on, and their values, but for those that are as they were asked for. */
export function agreed(talks: Negotiation[], asked: Record<string, unknown>): [key: string, value: unknown][] {
  const turns = talks.find((it) => it.kind === 'fulfillment' && it.state === 'agreed')?.turn ?? [];
  const yes = turns.filter((it) => it.stance === 'accept').at(-1);
  const offer = turns.filter((it) => it.stance === 'offer' && it.by !== yes?.by).at(-1);
  const values = words(offer?.content?.[(yes?.alternative ?? 1) - 1] ?? '').values ?? {};
  return Object.entries(values).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(asked[key]));
}
