import { expect, test } from 'vitest';
import { BACK_MS, ENTRIES_MAX, measurements } from './measured';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const record = (sequence: string, subject: string) => ({ sequence, subject, first: '2026-11-29T11:00:00Z', user: 'noc', count: 1 });

test('measurements of one element are read page by page, the newest first', async () => {
  const asked: object[] = [];
  const pages = [
    { record: [record('7', 'router:Lodz'), record('8', 'router:Lodz-2')], next: '4096' },
    // A page may hold none, and another follow.
    { next: '8192' },
    { record: [record('8200', 'router:Lodz')] },
  ];
  const found = await measurements('router:Lodz', NOW, 9_000, async (input) => {
    asked.push(input);
    return pages[asked.length - 1]!;
  });
  expect(found.map((it) => it.sequence)).toEqual(['8200', '7']);
  const since = new Date(NOW - BACK_MS).toISOString();
  expect(asked).toEqual(['0', '4096', '8192'].map((after) => ({ since, after, kind: ['element-measured'], limit: 1_000 })));
});

test('of a long log the end is read, and never without a bound', async () => {
  const asked: { after?: string }[] = [];
  await measurements('router:Lodz', NOW, 1_000_000, async (input) => {
    asked.push(input);
    return { next: '1' };
  });
  expect(asked[0]!.after).toBe(String(1_000_000 - ENTRIES_MAX));
  expect(asked.length).toBe(16);
});
