import { expect, test } from 'vitest';
import { sections, words } from './words';

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
