import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Held, stands } from './held.svelte';
import type { Standing } from './threads.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const offers = (round: number, ...content: string[]): Standing => ({
  rounds: [{ kind: 'fulfillment', state: 'open', publisher: 'a', executor: 'b', turn: [{ round, by: 'executor', stance: 'offer', content }] }],
});

test('what stands is the same at each look, and another with another round or offer', () => {
  const one = stands(offers(1, 'x'), 'fulfillment');
  expect(one).toBe(stands(offers(1, 'x'), 'fulfillment'));
  expect(one).not.toBe(stands(offers(2, 'x'), 'fulfillment'));
  expect(one).not.toBe(stands(offers(1, 'y'), 'fulfillment'));
  expect([stands(undefined, 'fulfillment'), stands(offers(1, 'x'), 'result')]).toEqual([undefined, undefined]);
});

test('an acceptance is held for a second once another offer stands, and not at first', () => {
  const held = new Held();
  const looks = (name?: string) => (held.look(name), held.now);
  expect([looks(), looks('one'), looks('one'), looks('two')]).toEqual([false, false, false, true]);
  vi.advanceTimersByTime(900);
  expect([looks('two'), looks(undefined), looks('three')]).toEqual([true, true, true]);
  vi.advanceTimersByTime(900);
  expect(held.now).toBe(true);
  vi.advanceTimersByTime(100);
  expect(held.now).toBe(false);
});
