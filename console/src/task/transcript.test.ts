import { expect, test } from 'vitest';
import type { Exchange, Negotiation } from './threads.svelte';
import { transcript } from './transcript';

const at = (second: number) => `2026-11-29T00:00:${String(second).padStart(2, '0')}Z`;
const exchange = (id: string, from: string, to: string, asked: number, answered?: number): Exchange => ({
  id,
  sendFrom: from,
  sendTo: to,
  'request-info': { time: at(asked) },
  ...(answered === undefined ? {} : { 'response-info': { dataParam: 'x', time: at(answered) } }),
});
const talk = (turns: Negotiation['turn']): Negotiation => ({ kind: 'result', state: 'open', publisher: 'ann', executor: 'ip', turn: turns });

test('what an agent offers when it is ready is told between what was asked and what was said to it', () => {
  const record = [exchange('t/assign', 'ann', 'ip', 0, 0), exchange('t/result/1/publisher', 'ann', 'ip', 30, 31)];
  const rounds = [talk([{ round: 1, by: 'executor', stance: 'offer', content: ['done'], time: at(20) }, { round: 1, by: 'publisher', stance: 'refuse', time: at(30) }])];
  expect(transcript(record, rounds).map((it) => [it.from, it.to, it.turn?.stance])).toEqual([
    ['ann', 'ip', undefined],
    ['ip', 'ann', 'offer'],
    ['ann', 'ip', undefined],
  ]);
});

test('what is on record is told once: as a report, or as an answer', () => {
  const rounds = [talk([{ round: 1, by: 'executor', stance: 'offer', time: at(20) }])];
  expect(transcript([exchange('t/report/4', 'ip', 'ann', 20)], rounds)).toHaveLength(1);
  expect(transcript([exchange('t/assign', 'ann', 'ip', 10, 20)], rounds)).toHaveLength(1);
  expect(transcript([exchange('t/result/1/executor', 'ip', 'ann', 50)], rounds)).toHaveLength(1);
  expect(transcript([exchange('t/assign', 'ann', 'ip', 10, 11)], rounds)).toHaveLength(2);
});
