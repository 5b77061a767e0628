import { expect, test } from 'vitest';
import type { Template } from './form';
import { lackingFirst, missing, proposed } from './missing';

const text = { key_type: 'string', required: true };
const template: Template = {
  schema_id: 's_v1',
  keys: [
    { key_name: 'element', ...text, pattern: 'router:.+' },
    { key_name: 'ticket_id', ...text },
    { key_name: 'site_id', ...text, pattern: 'site:.+' },
    { key_name: 'count_id', key_type: 'integer', required: true },
    { key_name: 'external_id', key_type: 'string' },
  ],
};
const names = (keys: { key_name: string }[]) => keys.map((it) => it.key_name);

test('what is required and empty is missing', () => {
  expect(names(missing(template, { element: 'router:A', ticket_id: ' ' }))).toEqual(['ticket_id', 'site_id', 'count_id']);
});

test('a number of its own is proposed, and no name of anything that is known', () => {
  const told = proposed(template, {}, () => 'TT-7');
  expect(Object.keys(told)).toEqual(['ticket_id']);
  expect(told['ticket_id']).toMatch(/^TT-[0-9a-f]{8}$/);
  expect(proposed(template, {}, () => '')['ticket_id']).toMatch(/^[0-9a-f]{8}$/);
  expect(proposed(template, { ticket_id: 'TT-1' }, () => 'TT-7')).toEqual({});
});

test('what nothing was said of stands first, all else in its order', () => {
  expect(names(lackingFirst(template.keys, new Set(['element', 'count_id', 'external_id'])))).toEqual(['ticket_id', 'site_id', 'element', 'count_id', 'external_id']);
});
