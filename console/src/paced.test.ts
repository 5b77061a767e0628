import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paced } from './paced';

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
