// What a user may do to a task, and the message that says it (task-negotiate). Pure: what is sent is decided here, by
// whom and when is the page's. Read next: Act.svelte; docs/tasks.md, docs/negotiation.md.
import type { Task } from './platform.svelte';
import type { Request } from './restconf';
import { STATES } from './states';
import { sections } from './words';

export const NEGOTIATE = 'irtf-agent:task-negotiate';

export type Act = 'answer' | 'judge' | 'decide' | 'plan' | 'cancel';

/** Who acts: his name, whether he may all, and the rpcs that he may carry out. */
export interface Actor {
  name: string;
  isAdministrator: boolean;
  operations: Set<string>;
}

export function hasEnded(task: Task): boolean {
  return STATES[task['task-status']]?.hasEnded === true;
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

/** What begins a section wherever a line begins with it (domain, `content/section.rs`), which has no way to escape it. */
const BEGINS = /^([\s\u0085]*)##/gm;

/** Sections of a message, in their order; empty ones are left out. No body begins another: `##` at the beginning of a line is `# #` there. */
export function content(sections: [heading: string, body: string | undefined][]): string {
  return sections
    .filter(([, body]) => body?.trim())
    .map(([heading, body]) => `##${heading}\n${body!.trim().replace(BEGINS, '$1# #')}`)
    .join('\n');
}

/** To whom something is said about a task, with which verb, and what it answers. */
export interface Address {
  task: string;
  to: string;
  /** The target object. */
  about: string;
  verb: string;
  /** What a message answers that must not be taken for the answer to something else. */
  inReplyTo?: string;
}

/** Of what the publisher of a task says to its executor. */
export function address(task: Task): Address {
  const about = sections(task.content ?? '').find(([heading]) => heading === 'target object')?.[1] || task['task-id'];
  return { task: task['task-id'], to: task['task-sendTo'], about, verb: 'FulfillmentNegotiate', inReplyTo: task.awaits ?? 'plan' };
}

function message(at: Address, words: string[], more: object = {}): Request {
  const input = { 'task-sendTo': at.to, commuType: at.verb, 'task-id': at.task };
  return { rpc: NEGOTIATE, input: { ...input, ...(words.length ? { content: words } : {}), ...more } };
}

function reply(at: Address, description: string, result?: string, payload?: string): string {
  return content([
    ['target object', at.about],
    ['task description', description],
    ['structured payload', payload],
    ['result', result],
    ['in reply to', at.inReplyTo],
  ]);
}

export function answer(at: Address, words: string): Request {
  return message(at, [reply(at, words)]);
}

/** A turn is of the round in which it was decided upon: one that comes too late is refused, and taken for no other. */
function inRound(round: number | undefined): object {
  return round === undefined ? {} : { 'convoke-negotiation:round': round };
}

/** Takes what is offered in a round: a result, or one of the alternatives of a decision, from 1. */
export function accept(at: Address, round: number | undefined, alternative?: number): Request {
  const which = alternative === undefined ? {} : { 'convoke-negotiation:alternative': alternative };
  return message(at, [reply(at, 'accepted', 'accept')], { ...inRound(round), ...which });
}

/** Refuses what is offered; each line is an unmet point. */
export function refuse(at: Address, round: number | undefined, why: string): Request {
  const points = why.split('\n').map((line) => line.trim()).filter(Boolean);
  const result = ['reject', ...points.map((point) => `- ${point}`)].join('\n');
  return message(at, [reply(at, 'refused', result)], inRound(round));
}

/** Offers something else: a counter-offer to a decision, or another plan. */
export function offer(at: Address, round: number | undefined, words: string, payload: string): Request {
  return message(at, [reply(at, words, undefined, payload)], inRound(round));
}

export function cancel(task: Task, why: string): Request {
  const at = { ...address(task), verb: 'taskCancel' };
  return message(at, why.trim() ? [content([['target object', at.about], ['task description', why]])] : []);
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
  /** What was done, where that is more than that it was. */
  says?: string;
  /** The round in which it was said; no number if it was said in none. */
  round?: number;
}

/** Why an agent, or who speaks for a task, refuses. */
export interface Reason {
  /** An identifier that whoever refuses chose. */
  reason: string;
  /** The key or leaf concerned. */
  path?: string;
  message?: string;
}

/** What the platform answered. */
export interface Reply {
  'task-id'?: string;
  'task-status'?: string;
  verdict: string;
  content?: string[];
  refusal?: Reason[];
}

export interface Replied {
  data?: { 'convoke-negotiation:reply'?: Reply };
}
