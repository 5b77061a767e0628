import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from './language/en';
import { zh } from './language/zh';

const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

test('both languages say the same things', () => {
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const [key, text] of Object.entries(en)) {
    const other = zh[key as keyof typeof en];
    expect(holes(other), key).toEqual(holes(text));
    expect(other.trim(), key).not.toBe('');
  }
});

test('every word is used, and every one that is used is there', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => /\.(svelte|ts)$/.test(name) && !/^language\/|test/.test(name));
  const text = sources.map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8')).join('\n');
  const used = new Set([...text.matchAll(/\bt\(\s*'([^']+)'/g), ...text.matchAll(/: Key = '([^']+)'/g)].map((m) => m[1]!));
  const groups = [...text.matchAll(/\bword\('([^']+)'/g)].map((m) => `${m[1]}.`);
  for (const key of used) expect(key in en, key).toBe(true);
  const idle = Object.keys(en).filter((key) => !used.has(key) && !groups.some((group) => key.startsWith(group)));
  expect(idle).toEqual([]);
});
