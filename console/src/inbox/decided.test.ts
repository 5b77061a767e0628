import { expect, test } from 'vitest';
import type { Negotiation, Turn } from '../task/threads.svelte';
import { ofPatches, ofTurn, said, unruled } from './decided';

const told = (more: object, turn: object) => ({
  eventTime: '2026-11-29T00:00:00Z',
  'convoke-negotiation:negotiation-update': { 'task-id': 't', kind: 'fulfillment', publisher: 'ann', executor: 'ip', turn, ...more },
});

test('what somebody said in a negotiation is told as what had waited for him', () => {
  const turn = { round: 1, by: 'publisher', stance: 'refuse' };
  expect(ofTurn(7, told({}, turn), 'ann')).toEqual({ id: 7, at: '2026-11-29T00:00:00Z', kind: 'decision', name: 't', how: 'refuse' });
  expect(ofTurn(7, told({ kind: 'result' }, turn), 'ann')?.kind).toBe('result');
  expect(ofTurn(7, told({ executor: 'ann' }, { ...turn, by: 'executor' }), 'ann')?.kind).toBe('plan');
  expect(ofTurn(7, told({}, { ...turn, refusal: [{ reason: 'late', message: 'too late' }] }), 'ann')?.reason).toBe('too late');
  // What others say, or what time does, is no decision of his.
  expect(ofTurn(7, told({}, { ...turn, by: 'executor' }), 'ann')).toBeUndefined();
  expect(ofTurn(7, told({}, {}), 'ann')).toBeUndefined();
  // Nor is what he asks.
  const asks = { ...turn, stance: 'offer' };
  expect(ofTurn(7, told({ kind: 'feasibility' }, asks), 'ann')).toBeUndefined();
  expect(ofTurn(7, told({ kind: 'feasibility' }, { ...asks, round: 2 }), 'ann')?.how).toBe('offer');
});

test('of patches that which he decided is told', () => {
  const patch = { id: 8, at: '2026-11-29T00:00:00Z', patch: 'p', schema: 's_v1', change: 'patch-refused' as const, who: 'ann', reason: 'twice', keys: ['k'] };
  expect(ofPatches([patch, { ...patch, id: 9, who: undefined }], 'ann')).toMatchObject([{ id: 8, kind: 'patch', name: 'p', how: 'patch-refused', reason: 'twice', keys: ['k'] }]);
  expect(ofPatches([patch], 'bob')).toEqual([]);
});

test('what a rule said in his name is none of it', () => {
  const one = { id: 7, at: '2026-11-29T00:00:01Z', kind: 'result', name: 't', how: 'accept' };
  const rule = { id: 8, at: one.at, author: 'ann', name: 'r', change: 'decided', kind: 'result', 'task-id': 't', verdict: 'accept' };
  expect(unruled([one], [rule])).toEqual([]);
  expect(unruled([one], [{ ...rule, at: '2026-11-29T00:00:09Z' }, { ...rule, 'task-id': 'other' }])).toEqual([one]);
});

test('what decided is what was said to the offer that was looked at', () => {
  const turn = (round: number, by: Turn['by'], stance: string): Turn => ({ round, by, stance });
  const talk: Negotiation = {
    kind: 'result', state: 'open', publisher: 'a', executor: 'b',
    turn: [turn(1, 'executor', 'offer'), turn(1, 'publisher', 'refuse'), turn(2, 'executor', 'offer'), turn(2, 'publisher', 'accept')],
  };
  expect(said(talk, 'publisher', 1)?.stance).toBe('refuse');
  expect(said(talk, 'publisher', 2)?.stance).toBe('accept');
  expect(said(talk, 'publisher', 3)).toBeUndefined();
});
