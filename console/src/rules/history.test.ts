import { expect, test } from 'vitest';
import { ruled } from './history';

test('what is told of a rule has its place and its moment; all else is told of none', () => {
  const told = { eventTime: '2026-11-29T00:00:02Z', 'convoke-policy:policy-update': { author: 'ann', name: 'b', change: 'decided' } };
  expect(ruled(2, told)).toEqual({ id: 2, at: '2026-11-29T00:00:02Z', author: 'ann', name: 'b', change: 'decided' });
  expect(ruled(3, { eventTime: '' })).toBeUndefined();
});
