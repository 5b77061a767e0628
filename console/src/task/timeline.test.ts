import { expect, test } from 'vitest';
import type { Exchange } from './threads.svelte';
import { cancelled, gist, lately, moments } from './timeline';

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

test('of each task what was said last is told', () => {
  const all = moments([1, 2, 3].map((second) => said('taskAssgin', `##result\n${second}`, second)), [], 'u');
  const other = { ...all[0]!, task: 'u' };
  const found = lately([...all, other], 2);
  expect([...found].map(([task, it]) => [task, it.map((one) => one.gist)])).toEqual([['t', ['2', '3']], ['u', ['1']]]);
});

test('who cancelled it, and why', () => {
  const at = (second: number) => `2026-11-29T00:00:0${second}Z`;
  const [begun, first, again] = [said('taskAssgin', '', 1), said('taskCancel', '##task description\ntoo late', 2), said('taskCancel', '##task description\nonce more', 4)];
  expect(cancelled([begun], at(3))).toBeUndefined();
  expect(cancelled([begun, first], at(2))).toEqual({ by: 'ann', why: 'too late' });
  // What comes when it is over cancels nothing.
  expect(cancelled([begun, first, again], at(2))?.why).toBe('too late');
  expect(cancelled([begun, first, again], at(4))?.why).toBe('once more');
  expect(cancelled([begun, again], at(2))).toBeUndefined();
  expect(cancelled([begun, first], undefined)?.why).toBe('too late');
});
