import { expect, test } from 'vitest';
import { path, places, ways } from './team';

const said = (from: string, to: string) => ({ id: '', sendFrom: from, sendTo: to });

test('who spoke to whom is counted each way', () => {
  expect(ways([said('a', 'b'), said('b', 'a'), said('a', 'b')])).toEqual([
    { from: 'a', to: 'b', count: 2 },
    { from: 'b', to: 'a', count: 1 },
  ]);
});

test('everyone has a place of his own, within the picture', () => {
  const all = [...places(ways([said('a', 'b'), said('b', 'c'), said('c', 'd')]), 400, 200).values()];
  expect(new Set(all.map(({ x, y }) => `${x.toFixed()} ${y.toFixed()}`)).size).toBe(4);
  expect(all.every(({ x, y }) => x > 0 && x < 400 && y > 0 && y < 200)).toBe(true);
  expect(path(all[0]!, all[1]!, 10)).not.toEqual(path(all[1]!, all[0]!, 10));
  expect(path(all[0]!, all[0]!, 10)).not.toContain('NaN');
});

test('an answer is said as well, and so is what is on no record', () => {
  const asked = { id: '1', sendFrom: 'a', sendTo: 'b', 'response-info': { time: '2026-11-29T00:00:00Z' } };
  expect(ways([asked], [{ from: 'b', to: 'a' }])).toEqual([
    { from: 'b', to: 'a', count: 2 },
    { from: 'a', to: 'b', count: 1 },
  ]);
});
