import { expect, test } from 'vitest';
import { replayed } from './history';

const told = (id: number, name: string) =>
  `id: ${id}\ndata: {"ietf-restconf:notification":{"eventTime":"2026-11-29T00:00:0${id}Z","convoke-policy:policy-update":{"author":"ann","name":"${name}","change":"decided"}}}\n\n`;
const OVER = 'data: {"ietf-restconf:notification":{"eventTime":"x","nc-notifications:replayComplete":{}}}\n\n';

function reader(pieces: string[]) {
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  return { read: async () => (rest.length > 0 ? { done: false as const, value: rest.shift()! } : { done: true as const, value: undefined }) };
}

test('a replay is read up to the mark that ends it, and its last is kept', async () => {
  const found = await replayed(reader([told(1, 'a') + told(2, 'b').slice(0, 20), told(2, 'b').slice(20) + told(3, 'c'), OVER, told(4, 'd')]), 2);
  expect(found.map((it) => [it.id, it.name, it.at])).toEqual([
    [2, 'b', '2026-11-29T00:00:02Z'],
    [3, 'c', '2026-11-29T00:00:03Z'],
  ]);
});
