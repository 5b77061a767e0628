import { expect, test, vi } from 'vitest';
import { later, pastSince, replayed, TooMuch } from './replay';

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

test('the last of a replay is kept, with its moment, and no more is looked at than may be', async () => {
  vi.stubGlobal('localStorage', { getItem: () => '' });
  vi.stubGlobal('fetch', async () => new Response(told(1) + told(2) + told(3) + OVER));
  const ask = (looked?: number) => pastSince('', '', 2, (id) => id, new AbortController().signal, looked);
  expect(await ask()).toEqual({ all: [2, 3], at: Date.parse('2026-11-29T01:00:00Z') });
  expect((await ask(3)).all).toEqual([2, 3]);
  await expect(ask(2)).rejects.toThrow(TooMuch);
  vi.unstubAllGlobals();
});

test('a span of which too much is told is halved, and other failures are none of that', async () => {
  const from = (least: number) => later(0, 100_000, async (since) => {
    if (since < least) throw new TooMuch();
    return 'told';
  });
  expect(await from(0)).toEqual(['told', 0]);
  expect(await from(60_000)).toEqual(['told', 75_000]);
  await expect(from(Infinity)).rejects.toThrow(TooMuch);
  await expect(later(0, 100_000, () => Promise.reject(new Error('cut')))).rejects.toThrow('cut');
});
