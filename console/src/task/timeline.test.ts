import { expect, test } from 'vitest';
import type { Exchange } from './threads.svelte';
import { cancelled, gist, moments } from './timeline';

const said = (verb: string, content: string, second: number): Exchange => ({
  id: verb,
  'task-id': 't',
  sendFrom: 'ann',
  sendTo: 'ip',
  commuType: verb,
  'request-info': { content, time: `2026-11-29T00:00:0${second}Z` },
});

test('of a message its outcome is told before what was to be done, and no secret', () => {
  expect(gist('##target object\nX\n##task description\nlook\n##result\na cut')).toBe('a cut');
  expect(gist('##target object\nX\n##task description\nlook\n##structured payload\n{}')).toBe('look');
  expect(gist('##task description\nsesame\n##in reply to\ncredentials')).toBe('••••');
});

test('what is on no record stands where it was said', () => {
  const turn = { round: 1, by: 'executor' as const, stance: 'offer', content: ['##result\ndone'] };
  const line = { key: '', at: '2026-11-29T00:00:02Z', from: 'ip', to: 'ann', turn };
  const found = moments([said('taskCancel', '', 3), said('taskAssgin', '##task description\nlook', 1)], [line], 't');
  expect(found.map((it) => [it.task, it.from, it.verb ?? it.stance, it.gist])).toEqual([
    ['t', 'ann', 'taskAssgin', 'look'],
    ['t', 'ip', 'offer', 'done'],
    ['t', 'ann', 'taskCancel', ''],
  ]);
});

test('who cancelled it, and why', () => {
  expect(cancelled([said('taskAssgin', '', 1)])).toBeUndefined();
  expect(cancelled([said('taskAssgin', '', 1), said('taskCancel', '##task description\ntoo late', 2)])).toEqual({ by: 'ann', why: 'too late' });
});
