import { expect, test } from 'vitest';
import { payload as sent, type Template } from './form';
import { compared, filled, payload, percent, reading, rows, zoned, type Understood } from './understood';

const template: Template = {
  schema_id: 's_v1',
  keys: [
    { key_name: 'target', key_type: 'string', required: true },
    { key_name: 'share', key_type: 'number' },
    { key_name: 'sure', key_type: 'boolean' },
    { key_name: 'sites', key_type: 'array', items: { key_type: 'string' } },
    { key_name: 'rest', key_type: 'object' },
    { key_name: 'other', key_type: 'string' },
  ],
};
const told: Understood = {
  choice: [{ agent: 'ip', 'schema-id': 's_v1', scenario: 's', score: '0.8214', known: ['fibre'] }],
  payload: '{"target":"link:A-B","share":2.5,"sure":false,"sites":["x","y"],"rest":{"a":1},"other":["at night","soon"]}',
  confidence: [
    { key: 'share', value: '0.71', understood: true },
    { key: 'since', value: '0.42', understood: false },
    { key: 'target', value: '0.93', understood: true },
  ],
  other: ['at night', 'soon'],
};

test('a payload fills in the form, and the form says the same payload', () => {
  const values = filled(template, payload(told));
  expect(values).toEqual({ target: 'link:A-B', share: '2.5', sure: 'false', sites: 'x\ny', rest: '{"a":1}', other: 'at night\nsoon' });
  expect(sent(template, values)).toEqual(payload(told));
  expect(filled(template, { other: 'at night', wings: 2, target: null })).toEqual({ other: 'at night' });
});

test('each key says how sure it is, the surest first, and what was not sure enough has no value', () => {
  expect(rows(told)).toEqual([
    { key: 'target', value: 'link:A-B', percent: 93, sureness: 'certain' },
    { key: 'share', value: '2.5', percent: 71, sureness: 'likely' },
    { key: 'since', percent: 42, sureness: 'unsure' },
  ]);
  expect(rows({})).toEqual([]);
  expect(percent('0.8214')).toBe(82);
});

test('what was chosen has the score of the reading that left it open, as the others have', () => {
  const fit = (schema: string, score: string) => ({ agent: 'a', 'schema-id': schema, scenario: schema, score });
  const offers = [fit('read', '0.40'), fit('near', '0.46'), fit('far', '0.10')];
  const first = compared(offers, offers[0]!);
  expect(first).toEqual({ score: '0.40', near: [offers[1]], others: [offers[2]], isBeaten: true });
  expect(compared(offers, fit('near', '0.42'))).toEqual({ score: '0.46', near: [offers[0]], others: [offers[2]], isBeaten: false });
  expect(compared([], fit('near', '0.42'))).toEqual({ score: '0.42', near: [], others: [], isBeaten: false });
});

test('what is no object fills in nothing', () => {
  expect(payload({ payload: '[1]' })).toEqual({});
  expect(payload({})).toEqual({});
});

test('tomorrow is counted from the time and zone of who speaks', () => {
  const at = Date.parse('2026-11-29T23:30:00Z');
  expect(zoned(at, 480)).toBe('2026-11-30T07:30:00+08:00');
  expect(zoned(at, -210)).toBe('2026-11-29T20:00:00-03:30');
  expect(zoned(at, 0)).toBe('2026-11-29T23:30:00+00:00');
});

test('what is held is asked for, and nothing else', () => {
  expect(reading(' save energy ', 'now', 'zh', {})).toEqual({ utterance: 'save energy', at: 'now', 'preferred-language': 'zh' });
  expect(reading('x', 'now', 'en', { agent: 'a', scenario: 's' })).toMatchObject({ agent: 'a', scenario: 's' });
});
