import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Change } from '../schemas/patch';
import type { Waiting } from './waiting';

const kept = new Map<string, string>();
let sentences: typeof import('./sentences');
let language: typeof import('../language.svelte');

beforeAll(async () => {
  vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  vi.stubGlobal('navigator', { language: 'en' });
  [sentences, language] = [await import('./sentences'), await import('../language.svelte')];
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
