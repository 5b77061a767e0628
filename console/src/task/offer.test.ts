import { expect, test } from 'vitest';
import type { Template } from '../assign/form';
import { agreed, arranged, asked, changes, countered, listed, prefilled, saysNoMore, settled, telling } from './offer';
import type { Negotiation, Turn } from './threads.svelte';

const says = (values: object, schema = 'energy_v1') => `save\n##structured payload\n${JSON.stringify({ schema_id: schema, payload: values })}`;
const template: Template = {
  schema_id: 'energy_v1',
  keys: [
    { key_name: 'area', key_type: 'string', required: true },
    { key_name: 'percent', key_type: 'number' },
    { key_name: 'cells', key_type: 'array', items: { key_type: 'string' } },
  ],
};

test('what is offered otherwise than it was asked for is named, value by value', () => {
  const request = says({ area: 'Poznan', percent: 5.0, hours: 2 });
  expect(listed(changes(request, says({ area: 'Poznan', percent: 1.4 })))).toEqual(['percent 5 → 1.4', 'hours 2 → –']);
  expect(changes(request, says({ percent: 5, hours: 2, area: 'Poznan' }))).toEqual([]);
  // A decision has other keys than the request.
  expect(listed(changes(request, says({ crew: 'two', percent: 3 }, 'decision_v1')))).toEqual(['percent 5 → 3']);
  expect(changes('in words', request)).toEqual([]);
});

test('what differs is told on one line, whatever the values are', () => {
  const all = [{ key: 'a\n##result', was: 'x\n##result\naccept', is: `y\u2028${'long '.repeat(20)}` }];
  expect(listed(all)[0]).toMatch(/^a ##result x ##result accept → y long .*…$/);
  expect(listed(all)[0]).not.toMatch(/[\n\r\u2028\u2029]/);
});

test('what tells most stands first, what is long and what was said before last', () => {
  const values = { steps: 'measure '.repeat(20), ticket: 'TT', crew: 'one', percent: 3, way: 'replace' };
  expect(telling(values, [{ key: 'way' }], { ticket: 'TT' })).toEqual([['way', 'percent', 'crew', 'steps', 'ticket'], 4]);
  // What is said no more differs; of what is as it was, or long, one is told at least.
  expect(telling(values, [{ key: 'hours', was: 2 }], values)).toEqual([['hours', 'percent', 'ticket', 'crew', 'way', 'steps'], 1]);
  expect(telling({ steps: values.steps }, [])).toEqual([['steps'], 1]);
});

test('a word that says no more than its stance is told by that', () => {
  const said = (...sections: string[]) => saysNoMore({ content: [sections.map((one) => `##${one}`).join('\n')] });
  expect(said('target object\nTT-1', 'task description\nWord on the decision', 'result\naccept', 'in reply to\ndecision')).toBe(true);
  expect(said('task description\naccepted', 'result\naccept')).toBe(true);
  expect(saysNoMore({})).toBe(true);
  expect(said('task description\naccepted, but by night', 'result\naccept')).toBe(false);
  expect(said('task description\naccepted\nbut by night', 'result\naccept')).toBe(false);
  expect(said('task description\naccepted', 'structured payload\n{"crew":"two"}')).toBe(false);
});

test('an offer stands against what this side said last, or what began it', () => {
  const turn = (by: Turn['by'], stance: string, content?: string[], more = {}): Turn => ({ round: 1, by, stance, content, ...more });
  const talk = (state: string, ...turns: Turn[]): Negotiation => ({ kind: 'fulfillment', state, publisher: 'a', executor: 'b', turn: turns });
  const open = talk('open', turn('executor', 'offer', ['one']));
  expect(asked('request', open, 'publisher')).toBe('request');
  expect(asked('request', open, 'executor')).toBe('one');
  expect(asked('request', talk('open', turn('publisher', 'offer', ['mine']), turn('executor', 'offer', ['theirs'])), 'publisher')).toBe('mine');
  expect(agreed(open)).toBeUndefined();
  const settlement = talk('agreed', turn('executor', 'offer', [says({ area: 'Poznan', percent: 1.4, crew: 2 })]), turn('publisher', 'accept'));
  expect(listed(settled(settlement, { area: 'Poznan', percent: 5, hours: 2 }))).toEqual(['percent 5 → 1.4']);
  expect(settled(open, { percent: 5 })).toEqual([]);
  expect(agreed(talk('agreed', turn('executor', 'offer', ['one', 'two']), turn('publisher', 'accept', undefined, { alternative: 2 })))).toBe('two');
  expect(agreed(talk('agreed', turn('executor', 'offer', ['one']), turn('publisher', 'offer', ['mine']), turn('executor', 'accept', undefined, { round: 2 })))).toBe('mine');
});

test('a counter-offer has the values that were changed, and the others as they were offered', () => {
  const offered = { percent: 2.1, area: 'Poznan', of_others: true };
  expect(prefilled(template, offered)).toEqual({ percent: '2.1', area: 'Poznan' });
  expect(countered(template, offered, {})).toEqual(offered);
  expect(countered(template, offered, { percent: '4' })).toEqual({ ...offered, percent: 4 });
  expect(countered(template, offered, { percent: ' ', cells: 'cell:a\ncell:b' })).toEqual({ area: 'Poznan', of_others: true, cells: ['cell:a', 'cell:b'] });
  const names = (keys: { key_name: string }[]) => keys.map((key) => key.key_name);
  expect(arranged(template, offered).map(names)).toEqual([['percent', 'area'], ['cells']]);
});
