import { expect, test } from 'vitest';
import { evidence } from './evidence';
import type { Patch, Pool } from './state.svelte';

const patch = (text: object, more: Partial<Patch> = {}): Patch => ({ 'patch-id': 'p', 'parent-schema-id': 'quality_check_v1', patch: JSON.stringify(text), state: 'pending', ...more });
const key = (en: object, zh?: object) => ({ key_name: 'k', annotations: { en, ...(zh && { zh }) } });
const pool = (cohort: string, ...occurrences: number[]): Pool => ({ scenario: 'quality_check', cohort, cluster: occurrences.map((count, id) => ({ id: String(id), occurrences: count })) });

test('what people asked for is told in words of theirs, and how often if it is known which of all it was', () => {
  const added = { new_keys: [key({ meaning: 'Whether.', examples: [['take a sample', true], ['a sample', true]] })] };
  expect(evidence(patch(added), [pool('ann', 9), pool('', 4)], 'en')).toEqual({ said: 'a sample', count: 4 });
  expect(evidence(patch(added, { client: 'ann' }), [pool('', 4), pool('ann', 9)], 'en')?.count).toBe(9);
  expect(evidence(patch(added), [pool('', 4, 2)], 'zh')).toEqual({ said: 'a sample', count: undefined });
  expect(evidence(patch(added, { 'parent-schema-id': 'energy_v1' }), [pool('', 4)], 'en')?.count).toBeUndefined();
});

test('of a key that is described anew, what clients say too stands behind its meaning or last among the examples', () => {
  const also = key({ meaning: "The ticket. Clients also say 'Ann's ticket'.", examples: [['for ticket 1', '1']] }, { meaning: '工单。 用户也说：“某工单”。' });
  expect(evidence(patch({ modified_keys: [also] }), [], 'en')?.said).toBe("Ann's ticket");
  expect(evidence(patch({ modified_keys: [also] }), [], 'zh')?.said).toBe('某工单');
  const more = key({ meaning: 'The ticket.', examples: [['for ticket 1', '1'], ['number 2', '2']] });
  expect(evidence(patch({ modified_keys: [more] }), [], 'en')?.said).toBe('number 2');
});

test('a patch that shows no words is told without', () => {
  expect([evidence(patch({}), [pool('', 4)], 'en'), evidence({ ...patch({}), patch: '{' }, [], 'en'), evidence(patch({ new_keys: [{ key_name: 'a' }] }), [], 'en')]).toEqual([undefined, undefined, undefined]);
});
