import { expect, test } from 'vitest';
import { brief, decision, matching, news, offers, preview, shown, type Waiting } from './waiting';

const result: Waiting = {
  id: 'result/t-1',
  kind: 'result',
  'task-id': 't-1',
  decider: 'ann',
  agent: 'ip',
  domain: 'IP',
  target: 'site-1',
  round: 2,
  since: '2026-11-29T00:00:00Z',
  'communication-type': 'FulfillmentNegotiate',
  'in-reply-to': 'judgement',
};
const feasible: Waiting = { ...result, id: 'feasibility/t-2', kind: 'feasibility', 'task-id': 't-2', domain: 'RAN', 'communication-type': 'FeasibilityNegotiate', 'in-reply-to': undefined };
const question: Waiting = { ...result, id: 'question/t-3', kind: 'question' };
const patch: Waiting = { id: 'patch/p-1', kind: 'patch', 'patch-id': 'p-1', since: '2026-11-29T00:00:00Z' };
const all = [result, feasible, question, patch];

test('what must be decided soonest is found first, and the rest in the order in which it waits', () => {
  const of = (wanted: object) => matching(all, { kind: '', domain: '', text: '', ...wanted }).map((it) => it.kind);
  expect(of({})).toEqual(['result', 'feasibility', 'question', 'patch']);
  expect(of({ kind: 'patch' })).toEqual(['patch']);
  expect(of({ domain: 'IP', text: 'SITE' })).toEqual(['result', 'question']);
  const [late, soon] = [{ ...patch, until: '2026-12-29T00:00:00Z' }, { ...question, until: '2026-11-29T01:00:00+01:00' }];
  expect(matching([result, late, feasible, soon], { kind: '', domain: '', text: '' })).toEqual([soon, late, result, feasible]);
});

test('a yes or a no is said by what decides it, of the round that was looked at', () => {
  expect(decision(result, 'accept', '')?.input).toEqual({
    'task-sendTo': 'ip',
    commuType: 'FulfillmentNegotiate',
    'task-id': 't-1',
    content: ['##target object\nsite-1\n##task description\naccepted\n##result\naccept\n##in reply to\njudgement'],
    'convoke-negotiation:round': 2,
  });
  expect(decision(feasible, 'reject', 'too dear')?.input).toMatchObject({
    commuType: 'FeasibilityNegotiate',
    content: ['##target object\nsite-1\n##task description\nrefused\n##result\nreject\n- too dear'],
  });
  expect(decision(patch, 'accept', '')).toEqual({ rpc: 'convoke-schema:approve-patch', input: { 'patch-id': 'p-1' } });
  expect(decision(patch, 'reject', ' no ')).toEqual({ rpc: 'convoke-schema:reject-patch', input: { 'patch-id': 'p-1', reason: 'no' } });
  expect(decision(question, 'accept', '')).toBeUndefined();
});

test('a preview names what is decided, and why the rest is not', () => {
  const spared = (now: Waiting[], marked: Waiting[], verdict: 'accept' | 'reject' = 'accept', may = () => true) =>
    preview(now, marked, verdict, may, 'ann').spared.map(([it, why]) => [it.id, why]);
  expect(preview(all, all, 'accept', () => true, 'ann').decided).toEqual([result, feasible, patch]);
  expect(spared(all, all)).toEqual([['question/t-3', 'words']]);
  // What was marked has become something else, or is decided.
  expect(spared([{ ...result, round: 3 }], [result, patch])).toEqual([['result/t-1', 'gone'], ['patch/p-1', 'gone']]);
  const several = { ...result, alternatives: 2 };
  expect(spared([several], [several])).toEqual([['result/t-1', 'several']]);
  expect(spared([several], [several], 'reject')).toEqual([]);
  expect(preview(all, [patch], 'reject', (rpc) => rpc !== 'convoke-schema:reject-patch', 'ann').spared[0]?.[1]).toBe('denied');
  // In a negotiation nobody speaks for another.
  expect(preview(all, [result, feasible], 'accept', () => true, 'root').spared).toEqual([[feasible, 'denied']]);
});

test('a text is shown without its quotation marks', () => {
  expect(['"a"', '1.5', 'true', '{', '["a",1]', '[{}]'].map(shown)).toEqual(['a', '1.5', 'true', '{', 'a, 1', '[\n {}\n]']);
});

test('numbers are told before texts', () => {
  const parameter = [{ name: 'a', value: '"1"' }, { name: 'b', value: '2' }, { name: 'c', value: 'true' }];
  expect(offers({ ...result, parameter }).map((it) => it.name)).toEqual(['b', 'c', 'a']);
  expect(offers(result)).toEqual([]);
});

test('what is offered is told in a line, and of its values what was not asked for', () => {
  expect(brief('##target object\nx\n##task description\nreplace the\nsupply\n##structured payload\n{"a":1}\n##result\ndone')).toBe('replace the supply – done');
  expect(brief('in words')).toBe('in words');
  const parameter = [{ name: 'percent', value: '1.4' }, { name: 'area', value: '"Poznan"' }];
  const request = '##structured payload\n{"schema_id":"s","payload":{"percent":5,"area":"Poznan"}}';
  expect(news({ ...result, parameter }, request).map((it) => it.name)).toEqual(['percent']);
  expect(news({ ...result, parameter }, undefined)).toHaveLength(2);
});
