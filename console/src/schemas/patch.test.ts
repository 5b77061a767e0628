import { expect, test } from 'vitest';
import { changes, difference, patched, type Template } from './patch';

const before: Template = {
  schema_id: 's_v1',
  keys: [
    { key_name: 'area', key_type: 'string', required: true },
    { key_name: 'other', key_type: 'string' },
  ],
};

test('a patch adds keys before the last, and describes others', () => {
  const after = patched(before, {
    new_keys: [{ key_name: 'solar', key_type: 'boolean' }],
    modified_keys: [{ key_name: 'area', semantic_description: 'Where.' }],
  });
  expect(after.keys.map((key) => key.key_name)).toEqual(['area', 'solar', 'other']);
  expect(after.keys[0]).toMatchObject({ required: true, semantic_description: 'Where.' });
  const told = difference(before, after);
  expect(told.filter((line) => line.sign === '+').map((line) => line.text.trim())).toContain('"key_name": "solar",');
  expect(told.some((line) => line.text.includes('other'))).toBe(false);
  expect(told.filter((line) => line.sign === '-')).toEqual([{ sign: '-', text: '  "required": true' }]);
});

test('a template that is the same does not differ', () => {
  expect(difference(before, patched(before, {}))).toEqual([]);
});

test('a patch is told by its keys; one that cannot be read by none', () => {
  const patch = JSON.stringify({ new_keys: [{ key_name: 'a', key_type: 'boolean' }], modified_keys: [{ key_name: 'b', key_type: 'string', enum: ['x'] }], approvals: 0 });
  expect(changes(patch)).toEqual([{ key: 'a', type: 'boolean', isNew: true }, { key: 'b', type: 'enum', isNew: false }]);
  expect([changes('{'), changes('{}')]).toEqual([[], []]);
});
