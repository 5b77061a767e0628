// Standing rules (convoke-policy): as they are served, as they are filled in, and what is sent to add or withdraw one.
// Pure: whether a rule can be the platform says, so what cannot be read goes to it as it was written.
import type { Waiting } from '../inbox/waiting';
import type { Request } from '../restconf';
import type { Sign } from '../sign';

export const ADD = 'convoke-policy:add-rule';
export const WITHDRAW = 'convoke-policy:withdraw-rule';

export const VERDICTS = ['accept', 'reject', 'ask'];
/** The kinds that a rule can decide. */
export const RULED = ['result', 'decision', 'feasibility', 'patch'];
export const THENS = ['accept', 'reject', 'escalate'];
/** With the sign of each, so that none is told by its colour. */
export const RULE_STATES: Record<string, Sign> = {
  'in-force': { sign: '●', tone: 'good' },
  over: { sign: '○', tone: '' },
  lapsed: { sign: '⊘', tone: 'bad' },
};
export const CHANGES = ['rule-added', 'rule-withdrawn', 'decided', 'escalated'];

/** A rule as it is served. */
export interface Rule {
  author: string;
  name: string;
  kind: string;
  decider?: string;
  agent?: string;
  domain?: string;
  target?: string;
  scenario?: string;
  bound?: { key: string; least?: string; most?: string }[];
  verdict: string;
  'valid-until'?: string;
  after?: number;
  then?: string;
  'escalate-to'?: string;
  added: string;
  state: string;
}

/** What became of a rule, or by one (`policy-update`). */
export interface Ruled {
  /** Its place in the log. */
  id: number;
  at: string;
  author: string;
  name: string;
  change: string;
  kind?: string;
  'task-id'?: string;
  'patch-id'?: string;
  decider?: string;
  verdict?: string;
  'escalated-to'?: string;
}

export interface Bound {
  key: string;
  least: string;
  most: string;
}

/** A rule as it is filled in. */
export interface Terms {
  name: string;
  kind: string;
  decider: string;
  agent: string;
  domain: string;
  target: string;
  scenario: string;
  bounds: Bound[];
  verdict: string;
  /** As `datetime-local` has it. */
  until: string;
  after: string;
  then: string;
  escalateTo: string;
}

export const BLANK: Terms = {
  name: '',
  kind: 'result',
  decider: '',
  agent: '',
  domain: '',
  target: '',
  scenario: '',
  bounds: [],
  verdict: 'accept',
  until: '',
  after: '',
  then: '',
  escalateTo: '',
};

const NAME_MAX = 64;
const BOUNDS_MAX = 16;
/** Of so many and more parameters, the platform tells no others. */
const PARAMETERS_MAX = 32;

/** The numbers of it that a rule can bound, each to what it is at most: with six digits behind the point, and no exponent. */
function bounded(it: Waiting): Bound[] {
  return (it.parameter ?? [])
    .filter(({ name, value }) => /^-?\d{1,12}(\.\d{1,6})?$/.test(value) && /^[^\s<>=]{1,64}$/.test(name))
    .slice(0, BOUNDS_MAX)
    .map(({ name, value }) => ({ key: name, least: '', most: value }));
}

/** What is offered that a rule like it does not look at. */
export function unbound(it: Waiting): string[] {
  const all = it.parameter ?? [];
  const keys = new Set(bounded(it).map(({ key }) => key));
  const open = all.map(({ name }) => name).filter((name) => !keys.has(name));
  return all.length < PARAMETERS_MAX ? open : [...open, '…'];
}

/** What a rule is called unless somebody says it: by what it covers, and as no other that there is. */
export function called(it: Terms, taken: string[]): string {
  const words = [it.verdict, it.scenario || it.domain || it.agent, it.kind].filter(Boolean).join(' ').replaceAll('/', ' ');
  const first = [...words].slice(0, NAME_MAX - 4).join('').trim();
  let name = first;
  for (let number = 2; taken.includes(name); number += 1) name = `${first} ${number}`;
  return name;
}

/**
 * The rule by which something like this would be accepted without asking: of the same kind, from the same side, about
 * the same scenario, with numbers as large at most; whoever adds it makes it wider. What it is about is left open where somebody
 * is on the other side: it would hardly come again.
 */
export function like(it: Waiting, user: string): Terms {
  return {
    ...BLANK,
    kind: it.kind,
    decider: it.kind === 'patch' || !it.decider || it.decider === user ? '' : it.decider,
    agent: it.agent ?? '',
    domain: it.domain ?? '',
    target: it.agent ? '' : (it.target ?? ''),
    scenario: it.scenario ?? '',
    bounds: bounded(it),
  };
}

/** How many conditions are filled in beside the scenario and its numbers. */
export function others(it: Terms): number {
  return [it.decider, it.agent, it.domain, it.target, it.until].filter(Boolean).length;
}

function number(text: string): unknown {
  return /^\d+$/.test(text.trim()) ? Number(text.trim()) : text.trim();
}

/** What adds it; what was left empty is left out. */
export function adding(it: Terms): Request {
  const until = new Date(it.until);
  const bounds = it.bounds
    .map(({ key, least, most }) => ({ key: key.trim(), least: least.trim(), most: most.trim() }))
    .filter(({ key, least, most }) => key || least || most)
    // Numbers with a point are texts (RFC 7951 §6.1).
    .map(stated);
  const isAsking = it.verdict === 'ask';
  const input = stated({
    name: it.name.trim(),
    kind: it.kind,
    decider: it.decider.trim(),
    agent: it.agent.trim(),
    domain: it.domain.trim(),
    target: it.target.trim(),
    scenario: it.scenario.trim(),
    bound: bounds.length > 0 ? bounds : '',
    verdict: it.verdict,
    'valid-until': Number.isNaN(until.getTime()) ? it.until : until.toISOString(),
    after: isAsking ? number(it.after) : '',
    then: isAsking ? it.then : '',
    'escalate-to': isAsking && it.then === 'escalate' ? it.escalateTo.trim() : '',
  });
  return { rpc: ADD, input };
}

function stated<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '')) as Partial<T>;
}

export function withdrawing(rule: Rule, user: string): Request {
  return { rpc: WITHDRAW, input: { ...(rule.author === user ? {} : { author: rule.author }), name: rule.name } };
}

/** What a rule says, piece by piece: which words of the catalogue, and what is filled in. */
export type Piece = [key: string, named: Record<string, string | number>];

/** Which decisions it covers; its numbers with what stands behind those of a key. */
export function conditions(it: Rule, unit: (key: string) => string = () => ''): Piece[] {
  const pieces: Piece[] = [];
  for (const name of ['decider', 'agent', 'domain', 'target', 'scenario'] as const) {
    const value = it[name];
    if (value) pieces.push([name, { value }]);
  }
  for (const { key, least, most } of it.bound ?? []) {
    const told = (decimal: string) => plain(decimal) + unit(key);
    if (least !== undefined && most !== undefined) pieces.push(['between', { key, least: told(least), most: told(most) }]);
    else if (least !== undefined) pieces.push(['least', { key, least: told(least) }]);
    else if (most !== undefined) pieces.push(['most', { key, most: told(most) }]);
  }
  return pieces.length > 0 ? pieces : [['any', {}]];
}

/** A decimal without the zeros that its type has. */
function plain(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

/** What became of a rule: of one that is no more, whether it was withdrawn or its time was over, if it is known until when it held. */
export function change(it: Ruled, until: string | undefined): string {
  if (it.change !== 'rule-withdrawn' || until === undefined) return it.change;
  return until && until <= it.at ? 'over' : 'withdrawn';
}

/** What became of rules, as it was told now and before: the newest first, each once. */
export function lately(told: Ruled[], before: Ruled[], most: number): Ruled[] {
  const all = new Map([...before, ...told].map((it) => [it.id, it]));
  return [...all.values()].sort((a, b) => b.id - a.id).slice(0, most);
}
