import { expect, test } from 'vitest';
import { accept, acts, address, answer, cancel, offer, refuse, type Actor } from './acting';
import type { Task } from './platform.svelte';

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
