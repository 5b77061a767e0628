import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cut, middle, laid, MASK, masked, sections, words } from './words';

test('the payload stands apart from the words', () => {
  expect(words('##target object\nx\n')).toEqual({ parts: [['target object', 'x']] });
  expect(words('##a\nb\n##structured payload\n{"c":[1]}')).toEqual({
    parts: [['a', 'b']],
    payload: '{\n  "c": [\n    1\n  ]\n}',
  });
  expect(words('a\n##structured payload\n{half')).toEqual({ parts: [['', 'a']], payload: '{half' });
});

test('what follows a payload is words again', () => {
  const said = words('##a\nb\n## structured payload\n{"schema_id":"s_v1","payload":{"k":"##v"}}\n##result\naccept');
  expect(said.parts).toEqual([['a', 'b'], ['result', 'accept']]);
  expect(said.schema).toBe('s_v1');
  expect(said.values).toEqual({ k: '##v' });
});

test('sections are told apart', () => {
  expect(sections('hello\n## Target object\nrouter A\nand B\n##result\naccept')).toEqual([
    ['', 'hello'],
    ['target object', 'router A\nand B'],
    ['result', 'accept'],
  ]);
});

test('of credentials only that they were given is shown', () => {
  const said = '##target object\ndoor\n##task description\nsesame\n##structured payload\n{"key":"sesame"}\n##in reply to\nCredentials';
  expect(masked(said)).not.toContain('sesame');
  expect(masked(said)).toContain(`##target object\ndoor\n##task description\n${MASK}`);
  const other = said.replace('Credentials', 'answer');
  expect(masked(other)).toBe(other);
});

test('items with commas of their own stand one a line', () => {
  expect(laid(['a', 2])).toBe('a, 2');
  expect(laid(['open it, look', 'close it'])).toBe('1. open it, look\n2. close it');
});

test('a text is cut where a line has no room', () => {
  expect([cut('one\ntwo', 8), cut('one two three', 8)]).toEqual(['one two', 'one two…']);
});

test('a long name is told by both its ends', () => {
  expect(['oss-1', 'oss-fault-1795997062463-2'].map((name) => middle(name, 12))).toEqual(['oss-1', 'oss-f…463-2']);
});

test('words that turn text around are written out', () => {
  expect(words('a\u202eb\n##structured payload\n{"c":"\u200b"}')).toEqual({
    parts: [['', 'a\\u{202e}b']],
    payload: '{\n  "c": "\\u200b"\n}',
  });
});

test('sections are those that the platform reads', () => {
  const vectors = JSON.parse(readFileSync('../crates/domain/src/content/sections.json', 'utf8')) as { text: string; sections: [string, string][] }[];
  // What stands before the first heading the page shows as well.
  const read = (text: string) => sections(`##first\n${text}`).filter(([heading]) => heading !== 'first');
  for (const { text, sections: told } of vectors) expect(read(text), text).toEqual(told);
  expect(vectors.length).toBeGreaterThan(15);
  expect(read('##result\nb\n##Result:\nc\n##a\nd\n##a\ne')).toEqual([['result', 'b\nc'], ['a', 'd'], ['a', 'e']]);
});

test('of credentials nothing is shown however their heading is written', () => {
  for (const heading of ['in  reply to', 'In reply to:', 'in reply to\u00a0:']) {
    expect(masked(`##target object\ndoor\n##task description\nsesame\n##${heading}\ncredentials`), heading).not.toContain('sesame');
  }
  expect(masked('##task description\nsesame\n##in reply to\ncredentials\n##in reply to\nquestion')).not.toContain('sesame');
});

test('whatever is written is read in a time that grows with its length alone', () => {
  const long = ['##' + ':'.repeat(200_000) + 'x', '##a\n'.repeat(100_000), '##a\n<a' + '"'.repeat(200_000) + '>x</b>', '##result\nx\n'.repeat(50_000)];
  const names = Array.from({ length: 50_000 }, (_, at) => `##h${at}\nx`).join('\n');
  const began = performance.now();
  for (const text of [...long, names]) sections(text);
  // Quadratic it would take minutes.
  expect(performance.now() - began).toBeLessThan(20_000);
});
