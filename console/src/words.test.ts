import { expect, test } from 'vitest';
import { MASK, masked, sections, words } from './words';

test('the payload stands apart from the words', () => {
  expect(words('##target object\nx\n')).toEqual({ text: '##target object\nx' });
  expect(words('##a\nb\n##structured payload\n{"c":[1]}')).toEqual({
    text: '##a\nb',
    payload: '{\n  "c": [\n    1\n  ]\n}',
  });
  expect(words('a\n##structured payload\n{half')).toEqual({ text: 'a', payload: '{half' });
});

test('what follows a payload is words again', () => {
  const said = words('##a\nb\n## structured payload\n{"schema_id":"s_v1","payload":{"k":"##v"}}\n##result\naccept');
  expect(said.text).toBe('##a\nb\n##result\naccept');
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

test('words that turn text around are written out', () => {
  expect(words('a\u202eb\n##structured payload\n{"c":"\u200b"}')).toEqual({
    text: 'a\\u{202e}b',
    payload: '{\n  "c": "\\u200b"\n}',
  });
});
