import { expect, test } from 'vitest';
import { agreed } from './agreed';
import type { Negotiation, Turn } from './threads.svelte';

const offers = (round: number, ...percents: number[]): Turn => ({
  round,
  by: 'executor',
  stance: 'offer',
  content: percents.map((percent) => `save\n##structured payload\n${JSON.stringify({ schema_id: 's', payload: { area: 'A', percent, crew: 2 } })}`),
});
const yes = (round: number, alternative?: number): Turn => ({ round, by: 'publisher', stance: 'accept', alternative });
const talk = (state: string, ...turn: Turn[]): Negotiation => ({ kind: 'fulfillment', state, publisher: 'a', executor: 'b', turn });
const asked = { area: 'A', percent: 5 };

test('what was agreed on is the last offer, or the alternative that was taken, where it is other than what was asked for', () => {
  expect(agreed([talk('agreed', offers(1, 3), offers(2, 1.4), yes(2))], asked)).toEqual([['percent', 1.4]]);
  expect(agreed([talk('agreed', offers(1, 3, 2), yes(1, 2))], asked)).toEqual([['percent', 2]]);
  expect(agreed([talk('agreed', offers(1, 5), yes(1))], asked)).toEqual([]);
  expect(agreed([talk('open', offers(1, 3))], asked)).toEqual([]);
});
