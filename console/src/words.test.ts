import { expect, test } from 'vitest';
import { words } from './words';

test('the payload stands apart from the words', () => {
  expect(words('##target object\nx\n')).toEqual({ text: '##target object\nx' });
  expect(words('##a\nb\n##structured payload\n{"c":[1]}')).toEqual({
    text: '##a\nb',
    payload: '{\n  "c": [\n    1\n  ]\n}',
  });
  expect(words('a\n##structured payload\n{half')).toEqual({ text: 'a', payload: '{half' });
});
