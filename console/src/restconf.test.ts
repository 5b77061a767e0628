import { expect, test, vi } from 'vitest';
import { ask, operations, read, shared, whenStranger, who } from './restconf';

vi.stubGlobal('localStorage', { getItem: () => null });
vi.stubGlobal('fetch', async () => new Response('{}', { status: 401 }));

test('a stranger is told of, but where it is asked who is signed in and what he may do', async () => {
  let told = 0;
  whenStranger(() => (told += 1));
  await who();
  await operations().catch(() => {});
  await ask('/console/session');
  expect(told).toBe(0);
  await read('convoke-registry:registry').catch(() => {});
  expect(told).toBe(1);
});

test('what is asked by many at once is asked once, and again once it was answered', async () => {
  let looks = 0;
  const look = shared(async () => {
    looks += 1;
    await Promise.resolve();
  });
  await Promise.all([look(), look(), look()]);
  expect(looks).toBe(1);
  await look();
  expect(looks).toBe(2);
});
