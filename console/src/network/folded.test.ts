import { expect, test } from 'vitest';
import type { Alarm } from './alarms';
import type { Cause } from './cause';
import type { Element } from './elements';
import { folded } from './folded';

const element = (id: string, more: Partial<Element> = {}): [string, Element] => [id, { id, kind: id.split(':')[0]!, place: '', network: 'n', path: '', ...more }];
const ALL = new Map([
  element('router:A'),
  element('card:A/1', { parent: 'router:A' }),
  element('router:B'),
  element('link:A-B', { ends: ['card:A/1', 'router:B'] }),
  element('site:S'),
  element('cell:S/1', { parent: 'site:S' }),
  element('site:T'),
]);
const alarm = (resource: string, type: string) => ({ key: `${resource} ${type}`, resource, type }) as Alarm;
const because = (element: string, cause: string, ...touches: string[]) => ({ element, cause, touches: new Set(touches) }) as Cause;
const told = (found: Cause[], alarms: Alarm[]) => folded(ALL, found, alarms).map((it) => [it.cause?.cause ?? it.key, it.alarms.map(({ key }) => key)]);

test('alarms of one cause are told in one: of what is broken, of what it is built of, of links that end there and of what it takes with it', () => {
  const alarms = [alarm('router:A', 'node'), alarm('site:T', 'battery'), alarm('site:S', 'mute'), alarm('link:A-B', 'down'), alarm('cell:S/1', 'off'), alarm('card:A/1', 'off')];
  expect(told([because('router:A', 'stopped', 'site:S')], alarms)).toEqual([
    ['stopped', ['router:A node', 'site:S mute', 'link:A-B down', 'cell:S/1 off', 'card:A/1 off']],
    ['site:T', ['site:T battery']],
  ]);
});

test('without a cause what is of one element on the map is told in one, in the order of the first', () => {
  const alarms = [alarm('site:S', 'mute'), alarm('site:T', 'mute'), alarm('cell:S/1', 'off'), alarm('site:S', 'out'), alarm('duct:9', 'cut')];
  expect(told([], alarms)).toEqual([
    ['site:S', ['site:S mute', 'cell:S/1 off', 'site:S out']],
    ['site:T', ['site:T mute']],
    ['duct:9', ['duct:9 cut']],
  ]);
});

test('what is broken itself is told rather than what something else takes with it, and of two causes the first', () => {
  const found = [because('router:B', 'stopped', 'router:A'), because('card:A/1', 'card'), because('router:B', 'aged')];
  expect(told(found, [alarm('card:A/1', 'off'), alarm('router:B', 'node')])).toEqual([
    ['card', ['card:A/1 off']],
    ['stopped', ['router:B node']],
  ]);
});
