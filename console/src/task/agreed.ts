// What the parties of a task agreed on in place of what was asked for. Pure.
import { words } from '../words';
import type { Negotiation } from './threads.svelte';

/** The keys that were asked for with another value than the decision has that was agreed on, and that value. */
export function agreed(talks: Negotiation[], asked: Record<string, unknown>): [key: string, value: unknown][] {
  const turns = talks.find((it) => it.kind === 'fulfillment' && it.state === 'agreed')?.turn ?? [];
  const yes = turns.filter((it) => it.stance === 'accept').at(-1);
  const offer = turns.filter((it) => it.stance === 'offer' && it.by !== yes?.by).at(-1);
  const values = words(offer?.content?.[(yes?.alternative ?? 1) - 1] ?? '').values ?? {};
  return Object.entries(values).filter(([key, value]) => key in asked && JSON.stringify(value) !== JSON.stringify(asked[key]));
}
