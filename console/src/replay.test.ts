import { expect, test } from 'vitest';
import { replayed } from './replay';

const told = (id: number) => `id: ${id}\ndata: {"ietf-restconf:notification":{"eventTime":"2026-11-29T00:00:0${id}Z","x":${id}}}\n\n`;
const OVER = 'data: {"ietf-restconf:notification":{"eventTime":"2026-11-29T01:00:00Z","nc-notifications:replayComplete":{}}}\n\n';

function reader(pieces: string[]) {
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  return { read: async () => (rest.length > 0 ? { done: false as const, value: rest.shift()! } : { done: true as const, value: undefined }) };
}

test('a replay is read up to the mark that ends it, which says what time it is', async () => {
  const found: [number, unknown][] = [];
  const at = await replayed(reader([told(1) + told(2).slice(0, 20), told(2).slice(20) + told(3), OVER, told(4)]), (id, it) => found.push([id, it['x']]));
  expect(found).toEqual([[1, 1], [2, 2], [3, 3]]);
  expect(at).toBe(Date.parse('2026-11-29T01:00:00Z'));
});

test('a stream that is cut before has not told all', async () => {
  await expect(replayed(reader([told(1)]), () => {})).rejects.toThrow('cut');
});
