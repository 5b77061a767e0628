import { expect, test } from 'vitest';
import type { Agent } from '../platform.svelte';
import { besidePlan, negotiates, wantsPlan } from './plan';

test('who wants to see the plan first is understood, in both languages', () => {
  const asked = [
    'repair router Bialystok, plan first',
    'I want to see the plan first',
    'Show me your plan before',
    'ask me first',
    'Mend it, but ask me before you do anything.',
    'before you do anything, call me',
    'before anything is done I look at it',
    'wait for my approval',
    'let me approve it first',
    'ask me before you change it',
    '修复 router:Bialystok，先看方案',
    '先给我看',
    '方案先给我看一下',
    '动手前先问我',
    '等我同意再执行',
    '我批准后再修',
  ];
  expect(asked.filter((it) => !wantsPlan(it))).toEqual([]);
});

test('what only sounds alike, or says that it is not wanted, asks for no plan', () => {
  const others = [
    'repair router Bialystok',
    'repair it first',
    'save energy before 18:00',
    'tell me before 18:00',
    'Before you leave router Krakow, replace the card',
    'I have a plan for tonight',
    'plan the site. First of all, look at the mast',
    'no need to ask me first',
    'repair it without asking me first',
    "don't ask me before",
    'you do not need to wait for my approval',
    '修复路由器',
    '先修复 router:Bialystok',
    '不用先给我看',
    '无需等我同意',
    '制定节能计划',
  ];
  expect(others.filter(wantsPlan)).toEqual([]);
});

test('what else is said is read without it', () => {
  expect(besidePlan('repair router Bialystok, I want to see the plan first')).toBe('repair router Bialystok,');
  expect(besidePlan('Mend link A-B and C-D and ask me first; a crane stands there, at 1.5 m')).toBe('Mend link A-B and C-D a crane stands there, at 1.5 m');
  expect(besidePlan('修复路由器 Krakow，先看方案。')).toBe('修复路由器 Krakow，');
  expect(besidePlan('ask me first')).toBe('ask me first');
  expect(besidePlan('no plan, and at once')).toBe('no plan, and at once');
});

test('an agent shows plans if it negotiates how a task is done', () => {
  const agent = (negotiate?: string): Agent => ({ name: 'a', capability: { negotiate } });
  const both = agent('acp-task-feasibility-negotiation-v1.0, acp-task-fulfillment-negotiation-v1.0');
  const one = agent('acp-task-feasibility-negotiation-v1.0');
  expect([both, one, agent(), { name: 'b' }].map((it) => negotiates(it, 'fulfillment'))).toEqual([true, false, false, false]);
  expect(negotiates(one, 'feasibility')).toBe(true);
});
