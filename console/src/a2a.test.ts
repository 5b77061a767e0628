import { expect, test } from 'vitest';
import { a2a, call } from './a2a';
import { accept, answer, cancel, offer, refuse, type Address } from './acting';
import { assignment, type Assignment } from './assign/form';

const at = (inReplyTo: string): Address => ({ task: 't', to: 'an agent', about: 'site X', verb: 'FulfillmentNegotiate', inReplyTo });
const blank: Assignment = { id: 't', executor: 'ip', target: 'router:A', description: "find what's wrong", expected: '', deadline: '', within: '', parent: '', isNegotiated: false };
const template = { schema_id: 's_v1', keys: [{ key_name: 'target', key_type: 'string', required: true }] };
const typed = { data: { schema_id: 's_v1', payload: { target: 'router:A' } } };
const parts = (request: Parameters<typeof call>[0]) => (call(request, 'm')?.params as { message: { parts: object[] } } | undefined)?.message.parts;

test('a typed assignment is a message with its payload; one in words, or with conditions, is not the same there', () => {
  expect(call(assignment(blank, template, { target: 'router:A' }), 'm')).toEqual({
    method: 'SendMessage',
    params: { configuration: { returnImmediately: true }, message: { messageId: 't', role: 'ROLE_USER', parts: [{ text: blank.description }, typed] } },
  });
  expect(call(assignment(blank), 'm')).toBeUndefined();
  expect(call(assignment({ ...blank, expected: 'the cause' }, template, { target: 'router:A' }), 'm')).toBeUndefined();
});

test('an answer, a judgement and a counter-offer are said to the task', () => {
  expect(parts(answer(at('answer'), 'the red one'))).toEqual([{ text: 'the red one' }]);
  expect(parts(accept(at('judgement'), undefined))).toEqual([{ text: 'accept' }]);
  expect(parts(refuse(at('decision'), undefined, 'too late'))).toEqual([{ text: 'reject\n- too late' }]);
  expect(parts(offer(at('decision'), undefined, 'later', JSON.stringify({ schema_id: 's_v1', payload: { target: 'router:A' } })))).toEqual([{ text: 'later' }, typed]);
  expect(parts(accept(at('decision'), undefined, 2))).toBeUndefined();
  expect(parts(offer(at('decision'), undefined, 'later', ''))).toBeUndefined();
  expect(call(cancel({ 'task-id': 't', 'task-sendFrom': 'a', 'task-sendTo': 'b', 'task-status': 'processing' }, 'why'), 'm')).toEqual({ method: 'CancelTask', params: { id: 't', metadata: { reason: 'why' } } });
});

test('what is said in a round is not said without it', () => {
  const typed = JSON.stringify({ schema_id: 's_v1', payload: { target: 'router:A' } });
  const said = (round?: number) => [accept(at('judgement'), round), refuse(at('decision'), round, 'no'), offer(at('decision'), round, 'later', typed), offer(at('plan'), round, 'later', typed)];
  expect(said(1).map((it) => call(it, 'm'))).toEqual([undefined, undefined, undefined, undefined]);
  expect(said().every((it) => call(it, 'm'))).toBe(true);
});

test('the command is posted to the agent, and nothing ends its quotes', () => {
  const command = a2a(assignment(blank, template, { target: 'router:A' }), 'http://h', 'm')!;
  expect(command).toMatch(/^curl -s 'http:\/\/h\/agents\/ip' /);
  expect(command).toContain('-H "A2A-Version: 1.0"');
  expect(command).toContain("what'\\''s");
});
