import { expect, test } from 'vitest';
import type { Agent } from '../platform.svelte';
import { byVerdict, count, figures, isNews, isAnnounced, saysSame, schemaOf } from './foresight';

test('what would be decided is told by verdict, and so is what is not named', () => {
  const told = { decides: [{ id: 'result/a', verdict: 'accept' }, { id: 'result/b', verdict: 'reject' }], 'decides-count': '5' };
  expect(byVerdict(told)).toEqual([
    { verdict: 'accept', all: [told.decides[0]], count: 4 },
    { verdict: 'reject', all: [told.decides[1]], count: 1 },
  ]);
  expect(count({})).toBe(0);
});

test('a rule is looked at before it is added if it decides something, or names what is not there', () => {
  expect(isNews(undefined)).toBe(false);
  expect(isNews({ 'decides-count': '0' })).toBe(false);
  expect(isNews({ 'decides-count': '1' })).toBe(true);
  expect(isNews({ remark: [{ number: 1, about: 'scenario', remark: 'scenario-unknown' }] })).toBe(true);
});

test('two looks say the same if the same is decided and remarked, whenever that would be', () => {
  const one = { 'decides-count': '1', decides: [{ id: 'result/a', verdict: 'accept', at: '2026-11-29T00:00:00Z' }] };
  expect(saysSame(one, { ...one, decides: [{ id: 'result/a', verdict: 'accept', at: '2026-11-29T00:00:09Z' }] })).toBe(true);
  expect(saysSame(one, { ...one, decides: [{ id: 'result/b', verdict: 'accept' }] })).toBe(false);
  expect(saysSame(one, { ...one, 'decides-count': '2' })).toBe(false);
  expect(saysSame({}, undefined)).toBe(false);
});

test('what agents of a scenario negotiate is offered by them, results are by all, and patches by none', () => {
  const agent = (name: string, negotiate: string): Agent => ({ name, capability: { negotiate } });
  const agents = [agent('a', 'acp-task-feasibility-negotiation-v1.0'), agent('b', 'acp-task-fulfillment-negotiation-v1.0')];
  const scenario = { scenario: 's', 'schema-id': 's_v1', agent: ['a'] };
  const of = (...[which, all]: [typeof scenario | undefined, Agent[]]) => ['result', 'decision', 'feasibility', 'patch'].filter((kind) => isAnnounced(kind, which, all));
  expect(of(scenario, agents)).toEqual(['result', 'feasibility', 'patch']);
  expect(of(undefined, agents)).toHaveLength(4);
  expect(isAnnounced('decision', { scenario: 's', 'schema-id': 's_v1' }, agents)).toBe(false);
  // Whoever may not see agents is told nothing of them.
  expect(of(scenario, [])).toHaveLength(4);
});

test('a result keeps to the schema of answers, what is offered before to the other', () => {
  const scenario = { scenario: 's', 'schema-id': 's_v1', 'response-schema-id': 's_result_v1' };
  expect(schemaOf(scenario, 'result')).toBe('s_result_v1');
  expect(schemaOf(scenario, 'decision')).toBe('s_v1');
  expect(schemaOf(undefined, 'result')).toBeUndefined();
});

test('numbers alone can be bounded, and their unit and bounds are told', () => {
  const keys = [
    { key_name: 'size', key_type: 'integer', minimum: 1, maximum: 9, unit: 'GB' },
    { key_name: 'name', key_type: 'string' },
  ];
  expect(figures(keys)).toEqual([{ key: 'size', hint: '1 – 9 · GB', unit: 'GB' }]);
});
