import { expect, test } from 'vitest';
import { about, assignment, type Assignment, begun, bounds, field, human, key, kind, meaning, offered, opened, payload, same, showable, type Template } from './form';

const template: Template = {
  schema_id: 's_v1',
  title: 'Do it',
  keys: [
    { key_name: 'target', key_type: 'string', required: true },
    { key_name: 'cause', key_type: 'string', enum: ['cut', 'worn'] },
    { key_name: 'share', key_type: 'number', minimum: 0, maximum: 5, unit: 'percent' },
    { key_name: 'sure', key_type: 'boolean' },
    { key_name: 'sites', key_type: 'array', items: { key_type: 'string' } },
    { key_name: 'rest', key_type: 'object' },
    { key_name: 'other', key_type: 'string' },
  ],
};
const plain: Assignment = {
  id: 'x', executor: 'ip', target: '', description: '', expected: '', deadline: '', within: '', parent: '', isNegotiated: false,
};

test('a key is filled in by its type', () => {
  expect(template.keys.map(kind)).toEqual(['text', 'choice', 'number', 'flag', 'lines', 'json', 'lines']);
  expect(bounds(template.keys[2]!)).toBe('0 – 5 · percent');
  const named = { key_name: 'n', key_type: 'string', pattern: '[a-z]+', maxLength: 9 };
  expect(bounds(named)).toBe('[a-z]+ · ≤ 9');
  expect(bounds({ ...named, semantic_description: 'A name.' }, (count) => `at most ${count}`)).toBe('at most 9');
});

test('what cannot be read is for the platform to judge, and what is empty is not said', () => {
  const filled = { target: ' a ', cause: 'cut', share: '2.5', sure: 'false', sites: 'x\n\n y', rest: '{"a":1}', other: ' ' };
  expect(payload(template, filled)).toEqual({
    target: 'a', cause: 'cut', share: 2.5, sure: false, sites: ['x', 'y'], rest: { a: 1 },
  });
  expect(payload(template, { share: 'much', rest: '{' })).toEqual({ share: 'much', rest: '{' });
});

test('an assignment says what was filled in, and nothing else', () => {
  const { input } = assignment(plain, template, { target: 'router:A' }) as { input: Record<string, unknown> };
  expect(input['content']).toEqual([
    '##target object\nrouter:A\n##task description\nDo it\n##structured payload\n{"schema_id":"s_v1","payload":{"target":"router:A"}}',
  ]);
  expect(Object.keys(input).filter((name) => name.includes(':'))).toEqual(['convoke-negotiation:task-async']);
  const more = assignment({ ...plain, target: 'A', description: 'b', within: '60', isNegotiated: true, deadline: 'soon' });
  expect(more.input).toMatchObject({
    'convoke-negotiation:answer-within': 60,
    'convoke-negotiation:deadline': 'soon',
    'convoke-negotiation:fulfillment-required': true,
  });
});

test('what is under way about the same is found, and nothing else', () => {
  const task = (name: string, more: object = {}) =>
    ({ 'task-id': name, 'task-sendFrom': 'a', 'task-sendTo': 'b', 'task-status': 'processing', type: 's', content: '##target object\nrouter:A', ...more });
  const all = [task('open'), task('over', { 'task-status': 'finished' }), task('else', { type: 'r' }), task('elsewhere', { content: 'router:AB' }), task('bare', { content: undefined })];
  expect(same(all, 's', about('', template, { target: ' router:A ' })).map((it) => it['task-id'])).toEqual(['open']);
  expect([same(all, '', 'router:A'), same(all, 's', '')]).toEqual([[], []]);
  expect([about(' B ', template, { target: 'A' }), about('', template), about('')]).toEqual(['B', 'Do it', '']);
  const ticket: Template = { ...template, keys: ['ticket', 'element'].map((key_name) => ({ key_name, key_type: 'string', required: true })) };
  const values = { ticket: 'TT-1', element: 'router:A' };
  expect([about('', ticket, values, (name) => name === 'router:A'), about('', ticket, values)]).toEqual(['router:A', 'TT-1']);
});

test('an error finds its field', () => {
  expect(field("/irtf-agent:input/convoke-negotiation:deadline")).toBe('deadline');
  expect(field("/irtf-agent:input/content[2]")).toBe('content');
  expect(key('/sites/0')).toBe('sites');
});

test('what a key means is told in the language that is there', () => {
  const signed = { keys: [{ key_name: 'target', annotations: { en: { meaning: 'Which.', examples: [['a', ['x']] as [string, unknown]] } } }] };
  expect(meaning(template.keys[0]!, signed, 'zh')).toEqual({ words: 'Which.', example: '["x"]' });
  const lines = { keys: [{ key_name: 'sites', annotations: { zh: { meaning: '站', examples: [['a', ['x', 'y']] as [string, unknown]] } } }] };
  expect(meaning(template.keys[4]!, lines, 'zh')).toEqual({ words: '站', example: 'x\ny' });
  expect(meaning({ ...template.keys[1]!, semantic_description: 'Why.' }, signed, 'en').words).toBe('Why.');
});

test('a key is called as people write it', () => {
  expect(['ticket_id', 'place', 'What it is', 'TMF-1'].map(human)).toEqual(['Ticket id', 'Place', 'What it is', 'TMF-1']);
});

test('what is known is offered for a key whose pattern takes it, once', () => {
  const element = { key_name: 'element', key_type: 'string', pattern: '(router|site):[^ ]+' };
  const known = ['site:B', 'TT-1', 'router:A', 'site:B', 'a router:A'];
  expect(offered(element, known)).toEqual([{ value: 'router:A' }, { value: 'site:B' }]);
  expect(offered({ ...element, pattern: 'site:[^ ]+' }, known)).toEqual([{ value: 'site:B' }]);
  // A pattern of others is carried out nowhere here.
  expect(['(', '(([^ ]+[^ ]+)+[^ ]+)+!', '.*'].map((pattern) => offered({ ...element, pattern }, ['router:A', `router:${'a'.repeat(100)}`]))).toEqual([[], [], []]);
  expect(offered({ key_name: 'words', key_type: 'string' }, known)).toEqual([]);
});

test('what would turn text around is not offered', () => {
  expect(showable([{ value: 'router:Lodz' }, { value: 'router:\u202ezdoL' }])).toEqual([{ value: 'router:Lodz' }]);
});

test('a form that an address opens is filled in with texts alone, and all else names an agent', () => {
  const form = { scenario: 'repair', values: { element: 'router:A/1', cause: '' } };
  expect(opened(begun(form))).toEqual({ scenario: 'repair', values: { element: 'router:A/1' } });
  expect(opened('form/{"scenario":"s","values":{"n":1,"t":"x"}}')).toEqual({ scenario: 's', values: { t: 'x' } });
  expect(['form/{', 'form/1', 'form/null', 'form/{"values":{}}', 'agent'].map(opened)).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test('what is neither yes nor no is sent as it was written, so that the platform refuses it', () => {
  const one = { schema_id: 's_v1', keys: [{ key_name: 'sure', key_type: 'boolean' }] };
  expect(['true', 'false', 'yes'].map((sure) => payload(one, { sure })['sure'])).toEqual([true, false, 'yes']);
});
