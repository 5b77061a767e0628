import { expect, test } from 'vitest';
import { domains } from './domains';

test('each domain is named once, and none where there is none', () => {
  expect(domains([{ domain: 'Wireless' }, { domain: 'IP' }, {}, { domain: '' }, { domain: 'IP' }])).toEqual(['IP', 'Wireless']);
  expect(domains([])).toEqual([]);
});
