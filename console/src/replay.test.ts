import { expect, test, vi } from 'vitest';
import { lastBetween, later, LOOKED_MAX, pastSince, replayed, TooMuch } from './replay';

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

test('where more happened than is looked at, the last of it is told of less time, and since when', async () => {
  vi.stubGlobal('localStorage', { getItem: () => '' });
  // So many a second.
  const at = (url: string) => Date.parse(new URL(url, 'http://localhost').searchParams.get('start-time')!);
  const events = (from: number) => Array.from({ length: 100_000 - from }, (_, place) => told((place % 9) + 1)).join('');
  vi.stubGlobal('fetch', async (url: string) => new Response(events(at(url)) + OVER));
  const ask = (since: number, most: number) => lastBetween(since, 100_000, '', most, (id) => id, new AbortController().signal);
  expect(await ask(100_000 - LOOKED_MAX, 2)).toEqual({ all: [9, 1], cut: undefined });
  // Enough was found: of what was before nothing would be told.
  expect((await ask(0, 2)).cut).toBeUndefined();
  const some = await ask(0, 20_000);
  expect([some.all.length, some.cut]).toEqual([6_250, 93_750]);
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
