import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Change } from '../schemas/patch';
import type { Waiting } from './waiting';

const kept = new Map<string, string>();
let sentences: typeof import('./sentences');
let language: typeof import('../language.svelte');
let platform: typeof import('../platform.svelte').platform;
let schemas: typeof import('../schemas/state.svelte').schemas;

beforeAll(async () => {
  vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  vi.stubGlobal('navigator', { language: 'en' });
  [sentences, language] = [await import('./sentences'), await import('../language.svelte')];
  ({ platform } = await import('../platform.svelte'));
  ({ schemas } = await import('../schemas/state.svelte'));
});
afterAll(() => vi.unstubAllGlobals());

const patch: Waiting = { id: 'patch/p-1', kind: 'patch', 'patch-id': 'p-1', scenario: 'energy', since: '2026-11-29T00:00:00Z' };
const key = (name: string, isNew: boolean): Change => ({ key: name, type: 'boolean', isNew });

test('a patch that waits is told by what it adds and what it describes, each by itself', () => {
  const { sentence } = sentences;
  expect(sentence(patch, [key('solar', true), key('roof', true)])).toBe('Add solar (yes/no), roof (yes/no) to energy?');
  expect(sentence(patch, [key('area', false)])).toBe('Describe area (yes/no) of energy anew?');
  expect(sentence(patch, [{ ...key('area', false), type: '' }])).toBe('Describe area of energy anew?');
  expect(sentence(patch, [key('solar', true), key('area', false)])).toBe('Add solar (yes/no) to energy, and describe area (yes/no) anew?');
  language.language.now = 'zh';
  expect(sentence(patch, [key('solar', true), key('roof', true)])).toContain('solar（是/否）、roof（是/否）');
});

const plan: Waiting = { id: 'decision/t-1', kind: 'decision', 'task-id': 't-1', target: 'router:A', agent: 'tt', since: '2026-11-29T00:00:00Z', 'asked-because': 'no-rule' };

test('the plan of a repair is told by what would be done, any other by whose it is', () => {
  language.language.now = 'en';
  const { sentence } = sentences;
  const repair = { ...plan, scenario: 'fault_repair' };
  expect(sentence({ ...repair, parameter: [{ name: 'crew', value: '"one"' }, { name: 'way', value: '"splice it"' }] })).toBe('Approve repair of router:A: splice it?');
  expect(sentence(repair)).toBe('Approve repair of router:A?');
  expect(sentence({ ...repair, kind: 'result' })).toBe('Is it right what tt did about router:A?');
  expect(sentence(plan)).toBe('Agree to what tt would do about router:A?');
  language.language.now = 'zh';
  expect(sentence({ ...repair, parameter: [{ name: 'way', value: '"splice it"' }] })).toBe('是否批准修复 router:A：splice it？');
});

test('whoever asked to see a plan first is told so, not that no rule covers it', () => {
  language.language.now = 'en';
  const { because } = sentences;
  const task = { 'task-id': 't-1', 'task-sendFrom': 'ann', 'task-sendTo': 'tt', 'task-status': 'input-required' };
  platform.tasks.set('t-1', { ...task, 'fulfillment-required': true });
  expect(because(plan, 'ann')).toBe('You asked to see the plan first.');
  expect(because(plan, 'bob')).toBe('No rule covers it.');
  expect(because({ ...plan, kind: 'result' }, 'ann')).toBe('No rule covers it.');
  expect(because({ ...plan, 'asked-because': 'rule-asks' }, 'ann')).toBe('A rule says to ask.');
  expect(because({ ...plan, 'asked-because': undefined }, 'ann')).toBe('a rule is about to decide it');
  platform.tasks.set('t-1', task);
  expect(because(plan, 'ann')).toBe('No rule covers it.');
});

test('a patch is told by what people asked for, how often only where that is known', () => {
  const text = JSON.stringify({ new_keys: [{ key_name: 'sample', annotations: { en: { examples: [['take a sample', true]] } } }] });
  const grown = { 'patch-id': 'p-1', 'parent-schema-id': 'quality_check_v1', patch: text, state: 'pending' };
  expect(sentences.asked(grown)).toBe('What speaks for it: “take a sample”');
  schemas.pool = [{ scenario: 'quality_check', cohort: '', cluster: [{ id: '0', occurrences: 4 }] }];
  expect(sentences.asked(grown)).toBe('Asked for 4×, e.g. “take a sample”');
  expect([sentences.asked({ ...grown, patch: '{}' }), sentences.asked(undefined)]).toEqual(['', '']);
});

test('whose decision it is stands with those of others, in whose place the user would act or may not', () => {
  const { inPlace } = sentences;
  const of = (kind: string, decider?: string) => inPlace({ ...plan, kind, decider }, 'ann');
  expect([of('decision'), of('decision', 'ann')]).toEqual(['', '']);
  expect(of('decision', 'bob')).toBe('You would act as bob, whose task it is');
  expect(of('plan', 'bob')).toBe('Whose decision: bob');
});
