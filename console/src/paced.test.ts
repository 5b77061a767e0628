import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paced, repeated } from './paced';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a storm is read once a second, and its end is not missed', async () => {
  let reads = 0;
  const ask = paced(async () => void (reads += 1), 1_000);
  for (let i = 0; i < 250; i += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(reads).toBe(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toBe(4);
});

test('one that takes long is waited for', async () => {
  let now = 0;
  let most = 0;
  const ask = paced(async () => {
    most = Math.max(most, (now += 1));
    await new Promise((done) => setTimeout(done, 3_000));
    now -= 1;
  }, 1_000);
  for (let i = 0; i < 10; i += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(most).toBe(1);
});

test('what is repeated waits for the last time, goes on after a failure, and ends when it is told to', async () => {
  const over = new AbortController();
  let begun = 0;
  let ended = 0;
  const work = async () => {
    begun += 1;
    await new Promise((done) => setTimeout(done, 2_500));
    ended += 1;
    if (begun === 2) throw new Error('refused');
  };
  repeated(work, 1_000, over.signal);
  await vi.advanceTimersByTimeAsync(3_400);
  expect([begun, ended]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(3_500 + 200);
  expect([begun, ended]).toEqual([3, 2]);
  over.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([begun, ended]).toEqual([3, 3]);
});
