import { expect, test } from 'vitest';
import { scaled } from './units';

test('bytes are told in the largest unit of which there is one', () => {
  expect([0, 999, 1_000, 2_500_000, 3e9, 5e15].map(scaled)).toEqual([
    [0, 'B'],
    [999, 'B'],
    [1, 'kB'],
    [2.5, 'MB'],
    [3, 'GB'],
    [5_000, 'TB'],
  ]);
});
