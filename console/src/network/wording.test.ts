import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from '../language/en';
import { USUAL, wording } from './wording';

const link = { type: 'link-down', resource: 'link:A-B' };

test('the texts that follow from a type are those of the simulated equipment', () => {
  const source = readFileSync(`${import.meta.dirname}/../../../crates/showcase/network/src/alarms.rs`, 'utf8');
  const said = [...source.matchAll(/AlarmType::(\w+) => format!\("([^"]+)"\)/g)].map(([, type, text]) => [
    type!.replace(/\B[A-Z]/g, (it) => `-${it}`).toLowerCase(),
    text!.replace(/\{\w+\}/g, '*'),
  ]);
  expect(said.length).toBe(18);
  expect(USUAL).toEqual(Object.fromEntries(said.filter(([type]) => type !== 'unknown')));
  for (const type of Object.keys(USUAL)) expect(Object.hasOwn(en, `alarm.${type}`), type).toBe(true);
});

test('a text that says no more than its type tells who saw it, if anybody', () => {
  expect(wording({ ...link, text: 'adjacency over link:A-B lost' })).toEqual({});
  expect(wording({ type: 'loss-of-signal', resource: 'link:A-B', text: 'no light from link:A-B arrives at card:A/1' })).toEqual({ by: 'card:A/1' });
  expect(wording({ type: 'card-failure', resource: 'card:A/1', text: 'card:A/1 does not answer router:A' })).toEqual({ by: 'router:A' });
  expect(wording({ ...link, text: '' })).toEqual({});
});

test('whatever else a text says are the words of the equipment', () => {
  for (const text of ['3 % of the probes over link:A-B are lost', 'adjacency over link:C-D lost', 'adjacency over link:A-B lost at 12:00']) {
    expect(wording({ ...link, text })).toEqual({ own: text });
  }
  expect(wording({ type: 'card-failure', resource: 'card:A/1', text: 'card:A/1 does not answer since noon' })).toEqual({ own: 'card:A/1 does not answer since noon' });
  expect(wording({ type: 'unknown', resource: 'router:A', text: 'X-17 on router:A' })).toEqual({ own: 'X-17 on router:A' });
  // Told under another type than it was.
  expect(wording({ type: 'congestion', resource: 'link:A-B', text: 'adjacency over link:A-B lost' })).toEqual({ own: 'adjacency over link:A-B lost' });
});
