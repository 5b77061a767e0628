import { expect, test } from 'vitest';
import { decided, decisions, told, type Told } from './history';

const event = (more: object) => ({ eventTime: '2026-11-29T00:00:00Z', 'convoke-schema:schema-update': { 'patch-id': 'p', 'schema-id': 's_v1', ...more } });

test('what is told of a patch has who did it and why; all else is about none', () => {
  expect(told(7, event({ change: 'patch-rejected', principal: 'ann', reason: 'too much' }))).toMatchObject({
    id: 7, at: '2026-11-29T00:00:00Z', patch: 'p', schema: 's_v1', change: 'patch-rejected', who: 'ann', reason: 'too much',
  });
  expect(told(7, event({ change: 'template-published', 'patch-id': undefined }))).toBeUndefined();
  expect(told(7, { eventTime: '' })).toBeUndefined();
  expect(['patch-approved', 'patch-pending'].map((change) => decided(7, event({ change }))?.change)).toEqual(['patch-approved', undefined]);
});

test('a decision is told with the keys, and whether what was rejected was in use', () => {
  const of = (patch: string, ...all: [change: string, more?: Partial<Told>][]): Told[] =>
    all.map(([change, more], id) => ({ id, at: '', patch, schema: 's_v1', change, who: 'ann', ...more }));
  const change = (all: Told[]) => decisions(all).map((it) => it.change);
  const refused = of('p', ['patch-pending', { keys: ['seat'] }], ['patch-rejected']);
  expect(decisions(refused)).toMatchObject([{ id: 1, change: 'patch-refused', keys: ['seat'] }]);
  expect(change(of('p', ['patch-approved'], ['patch-active'], ['patch-rejected']))).toEqual(['patch-ended', 'patch-approved']);
  expect(change(of('p', ['patch-pending'], ['patch-rejected', { who: undefined }]))).toEqual(['patch-ended']);
  expect(change(of('p', ['patch-rejected']))).toEqual(['patch-rejected']);
  expect(change([...refused, ...of('q', ['patch-rejected'])])).toEqual(['patch-rejected', 'patch-refused']);
});
