import { expect, test } from 'vitest';
import type { Waiting } from '../inbox/waiting';
import { adding, BLANK, called, change, conditions, lately, like, others, unbound, withdrawing, type Rule, type Ruled, type Terms } from './terms';

const waiting: Waiting = {
  id: 'result/t-1',
  kind: 'result',
  'task-id': 't-1',
  decider: 'ann',
  agent: 'ip',
  domain: 'IP',
  target: 'site-1',
  scenario: 'repair/urgent',
  parameter: [
    { name: 'cost', value: '320.5' },
    { name: 'isUrgent', value: 'true' },
    { name: 'what', value: '"12"' },
    { name: 'no key', value: '1' },
  ],
  since: '2026-11-29T00:00:00Z',
};

test('a rule like a decision has its sides and its numbers, and what it leaves open is told', () => {
  expect(like(waiting, 'ann')).toEqual({
    ...BLANK,
    agent: 'ip',
    domain: 'IP',
    scenario: 'repair/urgent',
    bounds: [{ key: 'cost', least: '', most: '320.5' }],
    verdict: 'accept',
  });
  expect(unbound(waiting)).toEqual(['isUrgent', 'what', 'no key']);
  expect(unbound({ ...waiting, parameter: [{ name: 'cost', value: '1e3' }, { name: 'load', value: '0.1234567' }] })).toEqual(['cost', 'load']);
  expect(others(like(waiting, 'ann'))).toBe(2);
  expect(like({ ...waiting, agent: undefined }, 'ann').target).toBe('site-1');
  expect(like(waiting, 'root').decider).toBe('ann');
  expect(like({ ...waiting, kind: 'patch' }, 'root').decider).toBe('');
});

test('a rule is called by what it covers, as no other is', () => {
  const terms = like(waiting, 'ann');
  expect(called(terms, ['other'])).toBe('accept repair urgent result');
  expect(called(terms, ['accept repair urgent result', 'accept repair urgent result 2'])).toBe('accept repair urgent result 3');
  expect(called(BLANK, [])).toBe('accept result');
  const long = { ...BLANK, scenario: 'x'.repeat(100) };
  expect(called(long, [called(long, [])]).length).toBeLessThanOrEqual(64);
});

const input = (terms: Partial<Terms>) => adding({ ...BLANK, name: 'r', verdict: 'accept', ...terms }).input;

test('what is left empty is not said, and what asks at once has no time-out', () => {
  expect(input({})).toEqual({ name: 'r', kind: 'result', verdict: 'accept' });
  const filled = { agent: ' ip ', bounds: [{ key: 'cost', least: '', most: '5.0' }, { key: '', least: '', most: '' }] };
  expect(input(filled)).toMatchObject({ agent: 'ip', bound: [{ key: 'cost', most: '5.0' }] });
  expect(input({ after: '60', then: 'reject' })).not.toHaveProperty('after');
  const asks = { verdict: 'ask', after: '60', then: 'escalate', escalateTo: 'bob' };
  expect(input(asks)).toMatchObject({ after: 60, then: 'escalate', 'escalate-to': 'bob' });
  expect(input({ ...asks, then: 'accept' })).not.toHaveProperty('escalate-to');
  // The platform says what is wrong with it.
  expect(input({ ...asks, after: 'soon' })).toHaveProperty('after', 'soon');
  expect(input({ until: 'never' })).toHaveProperty('valid-until', 'never');
  expect(input({ until: '2027-01-01T00:00:00' })).toHaveProperty('valid-until', new Date('2027-01-01T00:00:00').toISOString());
});

const rule: Rule = { author: 'ann', name: 'r', kind: 'result', verdict: 'accept', added: '', state: 'in-force' };

test('only another’s rule is withdrawn with its author', () => {
  expect(withdrawing(rule, 'ann').input).toEqual({ name: 'r' });
  expect(withdrawing(rule, 'root').input).toEqual({ author: 'ann', name: 'r' });
});

test('what a rule covers is said piece by piece', () => {
  expect(conditions(rule)).toEqual([['any', {}]]);
  const bound = [{ key: 'cost', most: '500.0' }, { key: 'load', least: '0.5', most: '10' }, { key: 'n', least: '100' }];
  expect(conditions({ ...rule, domain: 'IP', bound })).toEqual([
    ['domain', { value: 'IP' }],
    ['most', { key: 'cost', most: '500' }],
    ['between', { key: 'load', least: '0.5', most: '10' }],
    ['least', { key: 'n', least: '100' }],
  ]);
});

test('numbers are told with their units, as far as these are known', () => {
  const bound = [{ key: 'cost', most: '500.0' }, { key: 'load', least: '1', most: '2' }];
  expect(conditions({ ...rule, bound }, (key) => (key === 'cost' ? ' EUR' : ''))).toEqual([
    ['most', { key: 'cost', most: '500 EUR' }],
    ['between', { key: 'load', least: '1', most: '2' }],
  ]);
});

test('a rule that is no more was withdrawn, or its time was over', () => {
  const gone: Ruled = { id: 1, at: '2026-11-29T10:00:00Z', author: 'a', name: 'r', change: 'rule-withdrawn' };
  expect([undefined, '', '2026-11-29T09:00:00Z', '2026-11-29T11:00:00Z'].map((until) => change(gone, until))).toEqual(['rule-withdrawn', 'withdrawn', 'over', 'withdrawn']);
  expect(change({ ...gone, change: 'decided' }, '')).toBe('decided');
});

test('what became of rules is told once, the newest first', () => {
  const at = (id: number): Ruled => ({ id, at: '', author: 'a', name: 'r', change: 'decided' });
  expect(lately([at(5), at(4)], [at(1), at(4)], 2).map((it) => it.id)).toEqual([5, 4]);
});
