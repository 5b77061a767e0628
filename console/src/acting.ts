// What a user may do to a task, and the message that says it (task-negotiate). Pure: what is sent is decided here, by
// whom and when is the page's. Read next: Act.svelte; docs/tasks.md, docs/negotiation.md.
import type { Task } from './platform.svelte';
import type { Request } from './restconf';
import { sections } from './words';

export const NEGOTIATE = 'irtf-agent:task-negotiate';
const ENDED = ['finished', 'failed', 'cancelled', 'rejected', 'unconfirmed'];

export type Act = 'answer' | 'judge' | 'decide' | 'plan' | 'cancel';

/** Who acts: his name, whether he may all, and the rpcs that he may carry out. */
export interface Actor {
  name: string;
  isAdministrator: boolean;
  operations: Set<string>;
}

export function hasEnded(task: Task): boolean {
  return ENDED.includes(task['task-status']);
}

/** What may be done to a task: by its publisher, or an administrator, while it is under way. */
export function acts(task: Task, actor: Actor): Act[] {
  const isTheirs = task['task-sendFrom'] === actor.name || actor.isAdministrator;
  if (!isTheirs || hasEnded(task) || !actor.operations.has(NEGOTIATE)) return [];
  switch (task.awaits) {
    case 'judgement':
      return ['judge', 'cancel'];
    case 'decision':
      return ['decide', 'cancel'];
    case 'answer':
    case 'credentials':
    case 'completion':
      return ['answer', 'cancel'];
    default:
      return ['plan', 'cancel'];
  }
}

/** Sections of a message, in their order; empty ones are left out. */
export function content(sections: [heading: string, body: string | undefined][]): string {
  return sections
    .filter(([, body]) => body?.trim())
    .map(([heading, body]) => `##${heading}\n${body!.trim()}`)
    .join('\n');
}

function about(task: Task): string {
  return sections(task.content ?? '').find(([heading]) => heading === 'target object')?.[1] || task['task-id'];
}

function message(task: Task, verb: string, words: string[], more: object = {}): Request {
  const input = { 'task-sendTo': task['task-sendTo'], commuType: verb, 'task-id': task['task-id'] };
  return { rpc: NEGOTIATE, input: { ...input, ...(words.length ? { content: words } : {}), ...more } };
}

function reply(task: Task, description: string, result?: string, payload?: string): string {
  return content([
    ['target object', about(task)],
    ['task description', description],
    ['structured payload', payload],
    ['result', result],
    ['in reply to', task.awaits ?? 'plan'],
  ]);
}

export function answer(task: Task, words: string): Request {
  return message(task, 'FulfillmentNegotiate', [reply(task, words)]);
}

/** A turn is of the round in which it was decided upon: one that comes too late is refused, and taken for no other. */
function inRound(round: number | undefined): object {
  return round === undefined ? {} : { 'convoke-negotiation:round': round };
}

/** Takes what is offered in a round: a result, or one of the alternatives of a decision, from 1. */
export function accept(task: Task, round: number | undefined, alternative?: number): Request {
  const which = alternative === undefined ? {} : { 'convoke-negotiation:alternative': alternative };
  return message(task, 'FulfillmentNegotiate', [reply(task, 'accepted', 'accept')], { ...inRound(round), ...which });
}

/** Refuses what is offered; each line is an unmet point. */
export function refuse(task: Task, round: number | undefined, why: string): Request {
  const points = why.split('\n').map((line) => line.trim()).filter(Boolean);
  const result = ['reject', ...points.map((point) => `- ${point}`)].join('\n');
  return message(task, 'FulfillmentNegotiate', [reply(task, points.join('; '), result)], inRound(round));
}

/** Offers something else: a counter-offer to a decision, or another plan. */
export function offer(task: Task, round: number | undefined, words: string, payload: string): Request {
  return message(task, 'FulfillmentNegotiate', [reply(task, words, undefined, payload)], inRound(round));
}

export function cancel(task: Task, why: string): Request {
  const words = why.trim() ? [content([['target object', about(task)], ['task description', why]])] : [];
  return message(task, 'taskCancel', words);
}

/** What came of an act: the platform's answer, or why there is none. */
export interface Told {
  reply?: Reply;
  /** All of its answer. */
  output?: object;
  error?: Error;
  /** True if it was carried out, whatever the answer says. */
  isDone?: boolean;
  /** Why nothing was sent. */
  hold?: string;
}

/** What the platform answered. */
export interface Reply {
  'task-id'?: string;
  'task-status'?: string;
  verdict: string;
  content?: string[];
  refusal?: { reason: string; path?: string; message?: string }[];
}

export interface Replied {
  data?: { 'convoke-negotiation:reply'?: Reply };
}
