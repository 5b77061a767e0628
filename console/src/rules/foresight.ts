// What a rule would do before it is added (`check-rule`), which kinds of decisions its scenario has, and which numbers of
// it can be bounded. Pure.
// Read next: foresight.svelte.ts, which asks; RuleForm.svelte.
import { bounds, type Key } from '../assign/form';
import { negotiates } from '../assign/plan';
import type { Agent } from '../platform.svelte';
import type { Scenario } from '../scenarios';

export const CHECK = 'convoke-policy:check-rule';

/** A decision that waits and that the rule would take: at once, or at that time if nobody does before. */
export interface Decides {
  id: string;
  verdict: string;
  at?: string;
}

/** What `check-rule` answers. */
export interface Foreseen {
  /** Of what waits now, at most 100: what the rule would decide. */
  decides?: Decides[];
  'decides-count'?: string | number;
  /** What it names that the platform does not know. */
  remark?: { number: number; about: string; value?: string; remark: string }[];
}

/** How much of what waits now it would decide. */
export function count(it: Foreseen): number {
  return Number(it['decides-count'] ?? it.decides?.length ?? 0);
}

/** By verdict, in the order in which they are told; what is beyond those that are named is counted with the first. */
export function byVerdict(it: Foreseen): { verdict: string; all: Decides[]; count: number }[] {
  const found = new Map<string, Decides[]>();
  for (const one of it.decides ?? []) found.set(one.verdict, [...(found.get(one.verdict) ?? []), one]);
  const beyond = Math.max(0, count(it) - (it.decides?.length ?? 0));
  return [...found].map(([verdict, all], place) => ({ verdict, all, count: all.length + (place === 0 ? beyond : 0) }));
}

/** Whether two of them say the same of what waits now; when, where nobody decides before, moves on with time. */
export function saysSame(one: Foreseen | undefined, other: Foreseen | undefined): boolean {
  const said = (it: Foreseen | undefined) =>
    it && JSON.stringify([count(it), it.decides?.map(({ id, verdict }) => [id, verdict]), it.remark?.map(({ about, value, remark }) => [about, value, remark])]);
  return said(one) === said(other);
}

/** Whether there is anything to be looked at before the rule is added. */
export function isNews(it: Foreseen | undefined): boolean {
  return it !== undefined && (count(it) > 0 || (it.remark?.length ?? 0) > 0);
}

/**
 * Whether agents that take a scenario, or any of them where none is named, announce decisions of a kind: results are judged
 * whoever has them, and patches have no agent. One that announces none may still offer something else while it works.
 */
export function isAnnounced(kind: string, scenario: Scenario | undefined, agents: Agent[]): boolean {
  const agreed = ({ decision: 'fulfillment', feasibility: 'feasibility' } as const)[kind];
  return !agreed || agents.length === 0 || agents.some((it) => negotiates(it, agreed) && (scenario?.agent?.includes(it.name) ?? !scenario));
}

/** The schema that what is offered keeps to: a result to that of answers, if there is one of its own. */
export function schemaOf(scenario: Scenario | undefined, kind: string): string | undefined {
  return kind === 'result' ? (scenario?.['response-schema-id'] ?? scenario?.['schema-id']) : scenario?.['schema-id'];
}

/** A number that a rule can bound, with its unit and bounds. */
export interface Figure {
  key: string;
  hint: string;
  unit?: string;
}

export function figures(keys: Key[]): Figure[] {
  return keys.filter((it) => ['integer', 'number'].includes(it.key_type)).map((it) => ({ key: it.key_name, hint: bounds(it), unit: it.unit }));
}
