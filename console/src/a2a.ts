// What is said by task-negotiate as A2A v1.0 has it: a call of JSON-RPC, posted to the agent (docs/a2a.md). Pure.
// Read next: frame.ts, what it looks like to other clients.
import { NEGOTIATE } from './acting';
import { posting } from './frame';
import type { Request } from './restconf';
import { sections, words } from './words';

interface Input {
  'task-sendTo': string;
  commuType: string;
  'task-id': string;
  content?: string[];
}

/** What an A2A message leaves to the platform: that nobody waits for the end. In which round is spoken it cannot say, so what does is no such message. */
const LEFT_OUT = ['convoke-negotiation:task-async'];

/**
 * The method and its parameters that say the same, in a message of this name; nothing where A2A says it otherwise. A task
 * gets its name from the platform there.
 */
export function call({ rpc, input }: Request, name: string): { method: string; params: object } | undefined {
  const { 'task-sendTo': _, commuType, 'task-id': task, content = [], ...more } = input as Input;
  if (rpc !== NEGOTIATE || content.length > 1 || Object.keys(more).some((it) => !LEFT_OUT.includes(it))) return undefined;
  const text = content[0] ?? '';
  const said = Object.fromEntries(sections(text));
  const { schema, values } = words(text);
  const description = said['task description'] ?? '';
  const payload = [{ data: { schema_id: schema, payload: values } }];
  const message = (parts: object[], of: object) => ({
    method: 'SendMessage',
    params: { configuration: { returnImmediately: true }, message: { ...of, role: 'ROLE_USER', parts } },
  });
  if (commuType === 'taskCancel') return { method: 'CancelTask', params: { id: task, ...(description && { metadata: { reason: description } }) } };
  const typed = schema ? [{ text: description }, ...payload] : undefined;
  // Words alone are read there, and may be understood otherwise.
  if (commuType === 'taskAssgin') return typed && message(typed, { messageId: task });
  if (commuType !== 'FulfillmentNegotiate') return undefined;
  const of = { messageId: name, taskId: task };
  switch (said['in reply to']) {
    case 'answer':
    case 'credentials':
    case 'completion':
      return message(typed ?? [{ text: description }], of);
    case 'decision':
    case 'judgement':
      if (said['result']) return message([{ text: said['result'] }], of);
      return typed && message(typed, of);
    case 'plan':
      return typed && message(typed, of);
    default:
      return undefined;
  }
}

/** A command for curl that sends it to the agent; nothing where A2A says it otherwise. */
export function a2a(request: Request, origin: string, name: string): string | undefined {
  const said = call(request, name);
  const agent = encodeURIComponent((request.input as Input)['task-sendTo']);
  return said && posting(`${origin}/agents/${agent}`, ['A2A-Version: 1.0', 'Content-Type: application/json'], { jsonrpc: '2.0', id: 1, ...said });
}
