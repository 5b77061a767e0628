import { expect, test, vi } from 'vitest';
import { ask, linkSecret, operations, read, shared, whenStranger, who } from './restconf';

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

test('an address signs in by the secret of a link, and by nothing else', () => {
  const secret = 'aB3-_'.repeat(8) + 'xyz';
  for (const text of [secret, ` ${secret}\n`, `http://localhost:8880/#sign-in=${secret}`]) expect(linkSecret(text)).toBe(secret);
  const token = `${secret}.${secret}.${secret}`;
  for (const text of ['', token, `https://noc.example/#sign-in=${token}`, secret.slice(1), `${secret}A`]) expect(linkSecret(text)).toBeUndefined();
});
