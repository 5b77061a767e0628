import { expect, test } from 'vitest';
import { decided } from './history';

const told = (more: object) => ({ eventTime: '2026-11-29T00:00:00Z', 'convoke-schema:schema-update': { 'patch-id': 'p', 'schema-id': 's_v1', ...more } });

test('a decision is told with who made it and why', () => {
  expect(decided(7, told({ change: 'patch-rejected', principal: 'ann', reason: 'too much' }))).toEqual({
    id: 7, at: '2026-11-29T00:00:00Z', patch: 'p', schema: 's_v1', change: 'patch-rejected', who: 'ann', reason: 'too much',
  });
});

test('what becomes of schemas otherwise is no decision', () => {
  expect(decided(7, told({ change: 'patch-pending' }))).toBeUndefined();
  expect(decided(7, { eventTime: '' })).toBeUndefined();
});
