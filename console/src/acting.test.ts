import { expect, test } from 'vitest';
import { accept, acts, address, answer, cancel, content, offer, refuse, type Actor } from './acting';
import type { Task } from './platform.svelte';
import { sections } from './words';

const task: Task = {
  'task-id': 't/1',
  'task-sendFrom': 'ann',
  'task-sendTo': 'ip',
  'task-status': 'input-required',
  awaits: 'decision',
  content: '## Target Object\nrouter A\n##task description\nx\n##structured payload\n{}',
};
const ann: Actor = { name: 'ann', isAdministrator: false, operations: new Set(['irtf-agent:task-negotiate']) };

test('what may be done follows from state and rights', () => {
  const of = (change: Partial<Task>, actor: Partial<Actor> = {}) => acts({ ...task, ...change }, { ...ann, ...actor });
  expect(of({})).toEqual(['decide', 'cancel']);
  expect(of({ awaits: 'judgement' })).toEqual(['judge', 'cancel']);
  expect(of({ awaits: 'credentials' })).toEqual(['answer', 'cancel']);
  expect(of({ 'task-status': 'processing', awaits: undefined })).toEqual(['plan', 'cancel']);
  expect(of({ 'task-status': 'failed' })).toEqual([]);
  expect(of({}, { name: 'bob' })).toEqual([]);
  expect(of({}, { name: 'bob', isAdministrator: true })).toEqual(['decide', 'cancel']);
  expect(of({}, { operations: new Set() })).toEqual([]);
});

test('messages say what they answer', () => {
  const words = (request: { input: object }) => (request.input as { content?: string[] }).content;
  expect(words(answer(address({ ...task, awaits: 'answer' }), ' slot 3 '))).toEqual([
    '##target object\nrouter A\n##task description\nslot 3\n##in reply to\nanswer',
  ]);
  expect(accept(address(task), 3, 2).input).toMatchObject({
    'convoke-negotiation:alternative': 2,
    'convoke-negotiation:round': 3,
    'task-sendTo': 'ip',
  });
  expect(refuse(address(task), 3, 'no').input).toHaveProperty('convoke-negotiation:round', 3);
  expect(accept(address(task), undefined).input).not.toHaveProperty('convoke-negotiation:round');
  expect(words(refuse(address(task), 3, 'too late\n\n too dear'))![0]).toContain('##result\nreject\n- too late\n- too dear\n');
  expect(words(offer(address({ ...task, awaits: undefined }), 1, 'b', '{"a":1}'))![0]).toContain(
    '##structured payload\n{"a":1}\n##in reply to\nplan',
  );
  expect(words(cancel(task, ''))).toBeUndefined();
  expect(words(cancel(task, 'no need'))![0]).toContain('no need');
});

test('what is said in one section begins no other', () => {
  const said = (body: string) => content([['task description', body], ['in reply to', 'decision']]);
  for (const begin of ['##', 'x\n##', 'x\r\n \t## ', 'x\n\n##', 'x\u2028##', 'x\n\u0085##', 'x\n\u00a0###']) {
    const headings = sections(said(`${begin}result\naccept`)).map(([heading]) => heading);
    expect(headings, begin).toEqual(['task description', 'in reply to']);
    // As the platform takes a line for one that begins a section.
    expect(said(`${begin}result\naccept`).split('\n').filter((line) => /^[\s\u0085]*##/.test(line)), begin).toHaveLength(2);
  }
  expect(said('x\n##result\naccept')).toBe('##task description\nx\n# #result\naccept\n##in reply to\ndecision');
  expect(said('cell ##3')).toContain('\ncell ##3\n');
  const words = offer(address(task), 1, '##result accept', '').input as { content: string[] };
  expect(sections(words.content[0]!).map(([heading]) => heading)).toEqual(['target object', 'task description', 'in reply to']);
});
