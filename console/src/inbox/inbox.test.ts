import { expect, test, vi } from 'vitest';
import { inbox } from './inbox.svelte';

test('what is watched is known once it was read, and an overtaken answer changes nothing', async () => {
  const answers: ((answer: Response) => void)[] = [];
  vi.stubGlobal('localStorage', { getItem: () => '' });
  vi.stubGlobal('fetch', () => new Promise<Response>((done) => answers.push(done)));
  const told = (count: number) => Response.json({ policy: { 'waiting-count': String(count), waiting: [] } });

  const number = inbox.look();
  answers[0]!(told(1));
  expect(await number).toBeUndefined();
  expect([inbox.count, inbox.isKnown]).toEqual([1, false]);

  const leave = inbox.watch('waiting');
  const [before, after] = [inbox.look(), inbox.look()];
  answers[3]!(told(3));
  await after;
  answers[2]!(told(2));
  await before;
  expect([inbox.count, inbox.isKnown]).toEqual([3, true]);

  const failed = inbox.look();
  answers[4]!(new Response('', { status: 500 }));
  expect(await failed).toBe(inbox.error);
  expect(inbox.error).toBeDefined();
  leave();
  vi.unstubAllGlobals();
});
