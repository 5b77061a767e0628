import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KINDS, REASONS } from './inbox/waiting';
import { en } from './language/en';
import { CHANGES, RULE_STATES, RULED, THENS, VERDICTS } from './rules/terms';
import { STATES } from './states';

const FOLDER = `${import.meta.dirname}/../../yang`;

/** The text of a module. */
function module(name: string): string {
  const file = readdirSync(FOLDER).find((it) => it.startsWith(`${name}@`));
  return readFileSync(`${FOLDER}/${file}`, 'utf8');
}

/** The names of the enumeration that follows some text. */
function enums(text: string, after: string): string[] {
  const rest = text.slice(text.indexOf(after));
  expect(rest, after).not.toBe('');
  const begin = rest.indexOf('type enumeration {');
  // An enumeration ends where its brace is closed.
  let depth = 0;
  let end = rest.indexOf('{', begin);
  do {
    depth += rest[end] === '{' ? 1 : rest[end] === '}' ? -1 : 0;
    end += 1;
  } while (depth > 0);
  return [...rest.slice(begin, end).matchAll(/enum ([\w-]+)/g)].map((it) => it[1]!);
}

const same = (table: string[], names: string[]) => expect([...table].sort()).toEqual([...names].sort());

test('states and what is decided are those of the modules, each with a word', () => {
  const policy = module('convoke-policy');
  const states = enums(module('convoke-negotiation'), 'typedef task-status');
  const leaf = (name: string) => enums(policy, `leaf ${name} {`);
  const kinds = enums(policy, 'typedef decision-kind');
  same(Object.keys(STATES), states);
  same(KINDS, kinds);
  same(REASONS, leaf('asked-because'));
  same(VERDICTS, enums(policy, 'typedef rule-verdict'));
  same(THENS, leaf('then'));
  same(Object.keys(RULE_STATES), leaf('state'));
  same(CHANGES, leaf('change'));
  const groups: Record<string, string[]> = {
    state: states,
    decision: kinds,
    waits: kinds,
    decisions: RULED,
    because: REASONS,
    says: VERDICTS,
    'verdict.rule': VERDICTS,
    then: THENS,
    'then.short': THENS,
    'rule.state': Object.keys(RULE_STATES),
    'change.rule': CHANGES.filter((it) => it !== 'decided'),
    ruled: VERDICTS.filter((it) => it !== 'ask'),
  };
  for (const [group, names] of Object.entries(groups)) {
    for (const name of names) expect(Object.hasOwn(en, `${group}.${name}`), `${group}.${name}`).toBe(true);
  }
});
