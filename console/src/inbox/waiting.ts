// What waits for the user (convoke-policy, `waiting`), and what is sent to decide it. Pure. Read next: Inbox.svelte;
// ../rules/terms.ts, by which it would not have waited.
import { accept, NEGOTIATE, refuse, type Address } from '../acting';
import type { Request } from '../restconf';
import { cut, laid, words } from '../words';
import { APPROVE, REJECT } from '../schemas/patch';

/** A decision that waits. */
export interface Waiting {
  /** The kind, a slash, and the task or the patch. */
  id: string;
  kind: string;
  'task-id'?: string;
  'patch-id'?: string;
  decider?: string;
  agent?: string;
  domain?: string;
  target?: string;
  scenario?: string;
  round?: number;
  alternatives?: number;
  parameter?: { name: string; value: string }[];
  since: string;
  until?: string;
  operation?: string[];
  'communication-type'?: string;
  'in-reply-to'?: string;
  'asked-because'?: string;
  rule?: { author: string; name: string }[];
  'escalated-to'?: string[];
}

/** All kinds, in the order in which they are offered. A test compares them with the module, as it does the others. */
export const KINDS = ['result', 'decision', 'feasibility', 'plan', 'patch', 'question', 'credentials', 'completion'];
/** Those that a yes or a no decides. */
const DECIDED = ['result', 'decision', 'feasibility', 'plan', 'patch'];
/** Those of a negotiation in which nobody speaks for another. */
export const TURNS = ['feasibility', 'plan'];
/** The negotiations in which things wait. */
export const TALKS: Record<string, string> = { result: 'result', decision: 'fulfillment', plan: 'fulfillment', feasibility: 'feasibility' };
export const REASONS = ['no-rule', 'rule-asks', 'rules-disagree', 'needs-person', 'rule-refused'];

/** What is looked for; what is empty is not asked for. */
export interface Wanted {
  kind: string;
  domain: string;
  text: string;
}

/** Those that match: what must be decided soonest first, and what nothing presses last. */
export function matching(all: Waiting[], { kind, domain, text }: Wanted): Waiting[] {
  const part = text.trim().toLowerCase();
  const due = (it: Waiting) => (it.until ? Date.parse(it.until) : Infinity);
  const found = all.filter(
    (it) =>
      (!kind || it.kind === kind) &&
      (!domain || it.domain === domain) &&
      (!part || [it.id, it.agent, it.target, it.scenario, it.decider].some((said) => said?.toLowerCase().includes(part))),
  );
  // Not by the difference, which there is none of two that are never due.
  return found.sort((a, b) => (due(a) < due(b) ? -1 : +(due(a) > due(b))));
}

/** To whom and how a turn is said that decides it. */
export function address(it: Waiting): Address {
  return {
    task: it['task-id'] ?? '',
    to: it.agent ?? '',
    about: it.target || (it['task-id'] ?? ''),
    verb: it['communication-type'] ?? 'FulfillmentNegotiate',
    inReplyTo: it['in-reply-to'],
  };
}

export type Verdict = 'accept' | 'reject';

/** What decides it by a yes or a no; nothing if words are wanted. */
export function decision(it: Waiting, verdict: Verdict, why: string): Request | undefined {
  if (!DECIDED.includes(it.kind)) return undefined;
  if (it.kind !== 'patch') return verdict === 'accept' ? accept(address(it), it.round) : refuse(address(it), it.round, why);
  const input = { 'patch-id': it['patch-id'] };
  return verdict === 'accept' ? { rpc: APPROVE, input } : { rpc: REJECT, input: { ...input, reason: why.trim() } };
}

/** Why one that was marked is not decided with the others. */
export type Spared = 'gone' | 'words' | 'several' | 'denied';

/** What deciding many hits. */
export interface Preview {
  decided: Waiting[];
  spared: [it: Waiting, why: Spared][];
}

/** What a verdict on those that were marked would decide now, and what it would not. */
export function preview(all: Waiting[], marked: Waiting[], verdict: Verdict, may: (rpc: string) => boolean, user: string): Preview {
  const now = new Map(all.map((it) => [it.id, it]));
  const found: Preview = { decided: [], spared: [] };
  for (const it of marked) {
    const why = spared(it, now.get(it.id), verdict, may, user);
    if (why) found.spared.push([it, why]);
    else found.decided.push(it);
  }
  return found;
}

function spared(it: Waiting, now: Waiting | undefined, verdict: Verdict, may: (rpc: string) => boolean, user: string): Spared | undefined {
  // What is offered by now may be something else than what was looked at.
  if (!now || now.since !== it.since || now.round !== it.round) return 'gone';
  const rpc = it.kind === 'patch' ? (verdict === 'accept' ? APPROVE : REJECT) : NEGOTIATE;
  if (!DECIDED.includes(it.kind)) return 'words';
  if (!may(rpc) || (TURNS.includes(it.kind) && it.decider !== user)) return 'denied';
  // Which of them is to be chosen is nothing to be decided unseen.
  return verdict === 'accept' && (it.alternatives ?? 1) > 1 ? 'several' : undefined;
}

/** A value as it is shown: texts without their quotation marks, lists without their brackets. */
export function shown(value: string): string {
  try {
    const told: unknown = JSON.parse(value);
    return typeof told === 'string' || Array.isArray(told) ? laid(told) : value;
  } catch {
    return value;
  }
}

/** What is offered: numbers first, by which most is decided. */
export function offers(it: Waiting): { name: string; value: string }[] {
  const isText = (value: string) => value.startsWith('"');
  return [...(it.parameter ?? [])].sort((a, b) => +isText(a.value) - +isText(b.value));
}

/** Of what is offered, that which differs from what was asked for. */
export function news(it: Waiting, request: string | undefined): { name: string; value: string }[] {
  const asked = words(request ?? '').values ?? {};
  return offers(it).filter(({ name, value }) => JSON.stringify(asked[name]) !== value);
}

const GIST_MAX = 120;

/** What is offered in a line: what would be done, and what came of it. */
export function brief(content: string): string {
  const said = new Map(words(content).parts);
  return cut([said.get('task description'), said.get('result')].filter(Boolean).join(' – ') || (said.get('') ?? ''), GIST_MAX);
}
