import { expect, test } from 'vitest';
import { negotiated } from './talks';

const turns = (...rounds: number[]) => rounds.map((round) => ({ round }));

test('a task is negotiated if anything was talked over before it, about its decision, or its result was not taken at once', () => {
  const found = negotiated({ task: [
    { 'task-id': 'none' },
    { 'task-id': 'taken', negotiation: [{ kind: 'result', turn: turns(1, 1) }] },
    { 'task-id': 'asked', negotiation: [{ kind: 'feasibility', turn: turns(1, 1) }] },
    { 'task-id': 'again', negotiation: [{ kind: 'result', turn: turns(1, 1, 2) }] },
    { 'task-id': 'both', negotiation: [{ kind: 'feasibility', turn: turns(1) }, { kind: 'fulfillment', turn: turns(1, 1, 2) }, { kind: 'result', turn: turns(1) }] },
    { 'task-id': 'begun', negotiation: [{ kind: 'fulfillment' }] },
  ] });
  expect([...found]).toEqual([['asked', 1], ['again', 2], ['both', 3], ['begun', 0]]);
});
