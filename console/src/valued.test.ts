import { readFileSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => {} });
const { language } = await import('./language.svelte');
const { valued } = await import('./valued');

beforeEach(() => void (language.now = 'zh'));

test('every cause of a fault has words', () => {
  const source = readFileSync(`${import.meta.dirname}/../../crates/domain/src/cause.rs`, 'utf8');
  const names = [...source.split('pub enum Cause {')[1]!.split('\n}')[0]!.matchAll(/^ {4}([A-Z]\w+),/gm)];
  expect(names.length).toBe(23);
  for (const [, name] of names) expect(valued(name!.replace(/\B[A-Z]/g, (it) => `-${it}`).toLowerCase()), name).toMatch(/\p{Script=Han}/u);
});

test('a value stands behind its word', () => {
  expect(['fibre-cut', 'critical', 'link-down', 'carrier_shutdown', 'cancelled'].map((it) => valued(it))).toEqual([
    '光纤中断（fibre-cut）', '紧急（critical）', '链路中断（link-down）', '载波关断（carrier_shutdown）', '已取消（cancelled）',
  ]);
  expect(valued('activate', '开启节能')).toBe('开启节能（activate）');
});

test('what is no value of an enumeration, or says the same, stands as it is', () => {
  // Keys of the catalogue that are no values among those groups.
  expect(['unknown', 'random', 'worst', 'sites', 'mend', 'router:Lodz', ''].map((it) => valued(it))).toEqual(['unknown', 'random', 'worst', 'sites', 'mend', 'router:Lodz', '']);
  language.now = 'en';
  expect(['critical', 'carrier_shutdown', 'link-down'].map((it) => valued(it))).toEqual(['critical', 'carrier_shutdown', 'link-down']);
  expect(valued('loss-of-signal')).toBe('No light arrives (loss-of-signal)');
});
