import { expect, test } from 'vitest';
import type { Task } from '../platform.svelte';
import { announced, cause, causes, isSent } from './cause';
import { subject } from './done';
import type { Element } from './elements';

const task = (id: string, payload: object, more: Partial<Task> = {}): Task => ({
  'task-id': id,
  'task-sendFrom': 'oss',
  'task-sendTo': 'ip',
  'task-status': 'processing',
  'created-at': '2026-11-29T00:00:00Z',
  content: `##target object\nTT-1\n##structured payload\n${JSON.stringify({ schema_id: 's_v1', payload })}`,
  ...more,
});
const element = (id: string, parent?: string): [string, Element] => [id, { id, kind: id.split(':')[0]!, place: '', network: 'n', path: '', parent }];
const all = new Map([element('router:A'), element('card:A/1', 'router:A'), element('site:S'), element('cell:S/1', 'site:S'), element('site:T')]);
const repair = task('repair', { element: 'router:A', cause: 'router-failure', affected_sites: ['site:S'] });
const diagnosis = task('diagnosis', { target: 'router:A', suspected_cause: 'card-failure', alternatives: [{ target: 'site:T' }] }, { 'created-at': '2026-11-29T01:00:00Z' });

test('what was found is told rather than what is suspected, of what is broken and of what that takes with it', () => {
  const found = causes([diagnosis, repair]);
  const of = (id: string) => cause(all, found, id)?.cause;
  expect(['router:A', 'card:A/1', 'site:S', 'cell:S/1', 'site:T'].map(of)).toEqual(['router-failure', 'router-failure', 'router-failure', 'router-failure', undefined]);
  expect(cause(all, causes([diagnosis]), 'router:A')).toMatchObject({ cause: 'card-failure', isFound: false });
});

test('of several that say the same the first is told, whoever came after', () => {
  const again = { ...repair, 'task-id': 'again', 'created-at': '2026-11-29T02:00:00Z' };
  expect(cause(all, causes([again, repair]), 'site:S')?.task['task-id']).toBe('repair');
});

test('what is over says nothing of how it is', () => {
  expect(causes([{ ...repair, 'task-status': 'finished' }, task('other', { area: 'north' })])).toEqual([]);
});

test('beside the number of a ticket stands the element that it is about', () => {
  expect(subject(repair)).toBe('router:A (TT-1)');
  expect(subject(task('words', {}))).toBe('TT-1');
  expect(subject({ ...repair, content: '##target object\nrouter:B' })).toBe('router:B');
});

test('somebody was sent once a plan with a crew was agreed on, and what is announced is neither the plan nor what was asked for', () => {
  const said = (words: string, payload: object = {}) => `##target object\nrouter:A\n##task description\n${words}\n##structured payload\n${JSON.stringify({ schema_id: 's_v1', payload })}`;
  const of = (plan?: string, told?: string) => ({ ...repair, content: repair.content!.replace('##str', '##task description\nmend it\n##str'), plan, said: told });
  const found = (it: Task) => isSent(causes([it])[0]!);
  expect([of(), of(said('look', { way: 'look' })), of(said('go', { crew: 'one engineer' }))].map(found)).toEqual([false, false, true]);
  expect(isSent(causes([{ ...diagnosis, plan: said('go', { crew: 'one engineer' }) }])[0]!)).toBe(false);
  const plan = said('go', { crew: 'one engineer' });
  expect([undefined, said('mend it'), said('go'), said('an engineer arrives at noon')].map((told) => announced(of(plan, told)))).toEqual(['', '', '', 'an engineer arrives at noon']);
});
