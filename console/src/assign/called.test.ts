import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { beside, called, names } from './called';
import type { Key } from './form';

const signed = JSON.parse(readFileSync(`${import.meta.dirname}/../../../crates/schema/templates/fault_repair_v1.json`, 'utf8'));
const key = (name: string): Key => signed.keys.find((it: Key) => it.key_name === name);

test('keys are called in Chinese by the beginning of what they mean, and in English by their names', () => {
  expect(called(key('cause'), signed, 'zh')).toBe('故障原因');
  expect(called(key('element'), signed, 'zh')).toBe('要修复的网元');
  expect(called(key('element'), signed, 'en')).toBe('');
  expect(called({ key_name: 'of_tomorrow', key_type: 'string' }, signed, 'zh')).toBe('');
  const plain = { keys: [{ key_name: 'cause', annotations: { en: { meaning: 'How it failed.' } } }] };
  expect(called(key('cause'), plain, 'zh')).toBe('');
});

test('what a key is called is not said again below it', () => {
  expect([beside('故障原因。', '故障原因'), beside('要修复的网元，写作“类型:名称”。', '要修复的网元'), beside('Why.', '')]).toEqual(['', '要修复的网元，写作“类型:名称”。', 'Why.']);
});

test('values are called as they are spoken of first', () => {
  expect(names(key('cause'), signed, 'zh')).toMatchObject({ 'fibre-cut': '光纤断了', 'black-hole': '静态路由黑洞' });
  expect(names(key('cause'), signed, 'en')).toEqual({});
});
