import { expect, test } from 'vitest';
import type { Exchange, Negotiation } from './threads.svelte';
import { does, isVerdict, transcript } from './transcript';

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
  const record = [exchange('t/assign', 'ann', 'ip', 0, 0), exchange('t/result/1/ann', 'ann', 'ip', 30, 31)];
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
  expect(transcript([exchange('t/result/1/ip', 'ip', 'ann', 50)], rounds)).toHaveLength(1);
  expect(transcript([exchange('t/assign', 'ann', 'ip', 10, 11)], rounds)).toHaveLength(2);
});

test('what is on record is one turn and no more, the nearest that it may be', () => {
  const offer = (round: number, second: number, content?: string[]) => ({ round, by: 'executor' as const, stance: 'offer', content, time: at(second) });
  const shown = (record: Exchange[], ...turns: NonNullable<Negotiation['turn']>) => transcript(record, [talk(turns)]).flatMap((it) => it.turn?.round ?? []);
  const report = (second: number, content = '') => ({ ...exchange('t/report/4', 'ip', 'ann', second), 'request-info': { content, time: at(second) } });

  expect(shown([report(20)], offer(1, 20), offer(2, 21))).toEqual([2]);
  expect(shown([report(21)], offer(1, 20), offer(2, 21))).toEqual([1]);
  // Words that differ are another message, however near; how they are laid out does not matter.
  expect(shown([report(20, '## progress\n40 %')], offer(1, 20, ['##result\ndone']))).toEqual([]);
  expect(shown([report(20, '## result\nhalf of it')], offer(1, 20, ['##result\ndone']))).toEqual([1]);
  expect(shown([report(20, '## Result\n  done ')], offer(1, 20, ['##result\ndone']))).toEqual([]);
  // A record with the name of a turn is that turn, and so no other.
  expect(shown([exchange('t/result/1/ip', 'ip', 'ann', 20)], offer(1, 10), offer(2, 20))).toEqual([2]);
  expect(shown([{ ...report(20), commuType: 'FeasibilityNegotiate' }], offer(1, 20))).toEqual([1]);
  expect(shown([exchange('t/cancel', 'ip', 'ann', 20)], offer(1, 20))).toEqual([1]);
});

test('an answer that is known is a turn only if it says the same', () => {
  const record = exchange('t/result/1/ann', 'ann', 'ip', 20, 20);
  const rounds = [talk([{ round: 2, by: 'executor', stance: 'offer', content: ['##result\ndone'], time: at(20) }])];
  const shown = (verdict: string, ...content: string[]) => transcript([record], rounds, new Map([[record.id, { verdict, content }]])).length;
  expect(transcript([record], rounds)).toHaveLength(1);
  expect(shown('result', '##result\ndone')).toBe(1);
  expect(shown('result', '##result\nhalf of it')).toBe(2);
  expect(shown('accepted')).toBe(2);
  expect(shown('pending')).toBe(2);
});

test('what somebody does is told by what he says, and an acceptance of a question by no question', () => {
  const said = (commuType: string, content: string, id = 't/x') => ({ ...exchange(id, 'ann', 'ip', 20, 21), commuType, 'request-info': { content, time: at(20) } });
  const doing = (one: Exchange, rounds: Negotiation[] = []) => transcript([one], rounds).filter((it) => it.exchange).map(does)[0];
  expect(doing(said('FeasibilityNegotiate', '##task description\nyes\n##result\naccept 1'))).toBe('accept');
  expect(doing(said('FeasibilityNegotiate', '##task description\ncan you?'))).toBeUndefined();
  expect(doing(said('FulfillmentNegotiate', '##result\nreject\n- too dear'))).toBe('refuse');
  expect(['Accepted', 'agreed: by night', 'agree'].map((it) => doing(said('FulfillmentNegotiate', `##result\n${it}`)))).toEqual(['accept', 'accept', 'accept']);
  expect(['rejected', 'Refused.', 'refuse'].map((it) => doing(said('FulfillmentNegotiate', `##result\n${it}`)))).toEqual(['refuse', 'refuse', 'refuse']);
  expect(doing(said('FulfillmentNegotiate', '##result\nacceptable'))).toBe('offer');
  expect(doing(said('FulfillmentNegotiate', '##task description\nfrom the south\n##in reply to\nanswer'))).toBe('answer');
  expect(doing(said('FulfillmentNegotiate', '##task description\nby night'))).toBe('offer');
  expect(doing(said('taskAssgin', '##result\naccept'))).toBeUndefined();
  // As it is on record, whatever words say.
  expect(doing(said('FulfillmentNegotiate', 'fine', 't/result/1/ann'), [talk([{ round: 1, by: 'publisher', stance: 'accept', time: at(20) }])])).toBe('accept');
});

test('that a message was received is no word of the other side', () => {
  const one = (commuType: string) => ({ ...exchange('t/x', 'ann', 'ip', 20, 20), commuType });
  const yes = talk([{ round: 1, by: 'executor', stance: 'accept', time: at(20) }]);
  expect(isVerdict(one('taskAssgin'), [])).toBe(true);
  expect(isVerdict(one('FulfillmentNegotiate'), [])).toBe(false);
  expect(isVerdict(one('FulfillmentNegotiate'), [yes])).toBe(true);
  expect(isVerdict(one('taskResultNotify'), [])).toBe(false);
});
