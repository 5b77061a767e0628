import { expect, test } from 'vitest';
import type { Negotiation, Turn } from '../task/threads.svelte';
import { TooMuch } from '../replay';
import { Lately, moved, ofPatches, ofRule, ofTurns, said, unruled } from './decided';

const told = (more: object, turn: object) => ({
  eventTime: '2026-11-29T00:00:00Z',
  'convoke-negotiation:negotiation-update': { 'task-id': 't', kind: 'fulfillment', publisher: 'ann', executor: 'ip', state: 'open', turn, ...more },
});
/** What ann decided by the last of these. */
const by = (...all: object[]) => ofTurns(all.map((it, place) => moved(7 + place, it as Record<string, unknown>)!), 'ann', new Map()).find((it) => it.id === 6 + all.length);

test('what somebody said in a negotiation is told as what had waited for him', () => {
  const turn = { round: 1, by: 'publisher', stance: 'refuse' };
  expect(by(told({}, turn))).toEqual({ id: 7, at: '2026-11-29T00:00:00Z', kind: 'decision', name: 't', how: 'refuse' });
  expect(by(told({ kind: 'result' }, turn))?.kind).toBe('result');
  expect(by(told({ executor: 'ann' }, { ...turn, by: 'executor' }))?.kind).toBe('plan');
  expect(by(told({}, { ...turn, refusal: [{ reason: 'late', message: 'too late' }] }))?.reason).toBe('too late');
  // What others say, or what time does, is no decision of his.
  expect(by(told({}, { ...turn, by: 'executor' }))).toBeUndefined();
  expect(by(told({}, {}))).toBeUndefined();
});

test('what somebody begins himself is no decision', () => {
  const mine = { round: 1, by: 'publisher', stance: 'offer' };
  const theirs = { ...mine, by: 'executor' };
  for (const kind of ['feasibility', 'fulfillment']) {
    expect(by(told({ kind }, mine))).toBeUndefined();
    // An offer that answers one is.
    expect(by(told({ kind }, mine), told({ kind }, theirs), told({ kind }, { ...mine, round: 2 }))?.how).toBe('offer');
    expect(by(told({ kind }, { ...mine, round: 2 }))?.how).toBe('offer');
    // And not one by which it is begun anew.
    expect(by(told({ kind, state: 'agreed' }, theirs), told({ kind }, { ...mine, round: 2 }))).toBeUndefined();
  }
  expect(by(told({}, theirs), told({}, mine))?.how).toBe('offer');
  // What came of a task is shown, again and again.
  const result = { kind: 'result', executor: 'ann', publisher: 'ip' };
  expect(by(told(result, theirs), told(result, { ...mine, stance: 'refuse' }), told(result, { ...theirs, round: 2 }))).toBeUndefined();
});

test('of patches that which he decided is told', () => {
  const patch = { id: 8, at: '2026-11-29T00:00:00Z', patch: 'p', schema: 's_v1', change: 'patch-refused' as const, who: 'ann', reason: 'twice', keys: ['k'] };
  expect(ofPatches([patch, { ...patch, id: 9, who: undefined }], 'ann')).toMatchObject([{ id: 8, kind: 'patch', name: 'p', how: 'patch-refused', reason: 'twice', keys: ['k'] }]);
  expect(ofPatches([patch], 'bob')).toEqual([]);
});

test('what a rule said in his name is none of it', () => {
  const one = { id: 7, at: '2026-11-29T00:00:01Z', kind: 'result', name: 't', how: 'accept' };
  const rule = { id: 8, at: one.at, author: 'ann', name: 'r', change: 'decided', kind: 'result', 'task-id': 't', verdict: 'accept' };
  expect(unruled([one], [rule])).toEqual([]);
  expect(unruled([one], [{ ...rule, at: '2026-11-29T00:00:09Z' }, { ...rule, 'task-id': 'other' }])).toEqual([one]);
});

test('of rules, those that decided in his name are looked at', () => {
  const told = (more: object) => ofRule(1, { eventTime: '', 'convoke-policy:policy-update': { author: 'ann', name: 'r', change: 'decided', verdict: 'accept', ...more } }, 'ann');
  expect(told({})?.name).toBe('r');
  expect(told({ author: 'root', decider: 'ann' })?.name).toBe('r');
  expect(told({ author: 'bob' })).toBeUndefined();
  expect(told({ change: 'rule-added', verdict: undefined })).toBeUndefined();
});

/** A log that is asked: what it tells of since when, and what it was asked. */
function log() {
  const events: [place: number, at: number, it: Record<string, unknown>][] = [];
  const asked: [what: string, since: number][] = [];
  const here = { now: 0, isMuch: (_: number) => false };
  const past = async <T>(since: string, filter: string, _: number, read: (id: number, it: Record<string, unknown>) => T | undefined) => {
    const from = Date.parse(since);
    asked.push([filter.slice(1), from]);
    if (here.isMuch(from)) throw new TooMuch();
    const all = events.filter(([, at, it]) => at >= from && filter.slice(1) in it).flatMap(([id, at, it]) => read(id, { ...it, eventTime: new Date(at).toISOString() }) ?? []);
    return { all, at: here.now };
  };
  return { events, asked, here, past };
}

const signal = new AbortController().signal;
const turn = (name: string, more = {}) => told({ 'task-id': name }, { round: 1, by: 'publisher', stance: 'accept', ...more });
const patch = (change: string, principal?: string) => ({ 'convoke-schema:schema-update': { 'patch-id': 'p', change, principal } });

test('it is asked from where it was asked last, and what was known before still counts', async () => {
  const { events, asked, here, past } = log();
  const lately = new Lately('ann', 20, past);
  events.push([1, 1_000, turn('a')], [2, 2_000, patch('patch-pending')], [3, 3_000, turn('b', { by: 'executor', stance: 'offer' })]);
  here.now = 1_000_000;
  await lately.look(0, here.now, signal);
  expect(lately.all.map((it) => it.name)).toEqual(['a']);
  expect(asked.map(([, since]) => since)).toEqual([0, 0, 0]);

  events.push([4, 1_001_000, turn('b', { stance: 'offer' })], [5, 1_002_000, patch('patch-rejected', 'ann')]);
  here.now = 1_005_000;
  for (let i = 0; i < 2; i += 1) await lately.look(0, here.now, signal);
  expect(asked.slice(3).map(([, since]) => since)).toEqual([990_000, 990_000, 990_000, 995_000, 995_000, 995_000]);
  expect(lately.all.map(({ name, how }) => [name, how])).toEqual([['p', 'patch-refused'], ['b', 'offer'], ['a', 'accept']]);
});

test('however much rules decided, what he decided is told', async () => {
  const { events, past } = log();
  events.push([1, 0, turn('mine')]);
  for (let id = 2; id < 100; id += 2) {
    events.push([id, id * 1_000, turn(`t-${id}`)]);
    events.push([id + 1, id * 1_000, { 'convoke-policy:policy-update': { author: 'ann', name: 'r', change: 'decided', kind: 'decision', 'task-id': `t-${id}`, verdict: 'accept' } }]);
  }
  const lately = new Lately('ann', 20, past);
  await lately.look(0, 100_000, signal);
  expect(lately.all.map((it) => it.name)).toEqual(['mine']);
});

test('of too much that happened the later part is looked at, which is said', async () => {
  const { events, here, past } = log();
  const lately = new Lately('ann', 1, past);
  events.push([1, 1_000, turn('early')], [2, 90_000, turn('late')]);
  here.isMuch = (since) => since < 70_000;
  await lately.look(0, 100_000, signal);
  expect(lately.all.map((it) => it.name)).toEqual(['late']);
  // As many as are told happened since.
  expect(lately.cut).toBeUndefined();
  const more = new Lately('ann', 2, past);
  await more.look(0, 100_000, signal);
  expect(more.cut).toBe(75_000);
});

test('what decided is what was said to the offer that was looked at', () => {
  const turn = (round: number, by: Turn['by'], stance: string): Turn => ({ round, by, stance });
  const talk: Negotiation = {
    kind: 'result', state: 'open', publisher: 'a', executor: 'b',
    turn: [turn(1, 'executor', 'offer'), turn(1, 'publisher', 'refuse'), turn(2, 'executor', 'offer'), turn(2, 'publisher', 'accept')],
  };
  expect(said(talk, 'publisher', 1)?.stance).toBe('refuse');
  expect(said(talk, 'publisher', 2)?.stance).toBe('accept');
  expect(said(talk, 'publisher', 3)).toBeUndefined();
});
