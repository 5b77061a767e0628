import { expect, test } from 'vitest';
import type { Element } from './elements';
import { along, bend, layered } from './layers';

const element = (id: string, more: Partial<Element> = {}): [string, Element] => [id, { id, kind: id.split(':')[0]!, place: '', network: 'n', path: '', ...more }];
const site = (id: string, by: string, cells: number): [string, Element][] => [
  element(id),
  element(`link:${by}-${id}`, { ends: [by, id] }),
  ...[...Array(cells).keys()].map((n) => element(`cell:${id}/${n}`, { parent: id })),
];
const ALL = new Map([
  ...site('site:2', 'router:B', 2),
  ...site('site:1', 'card:A/1', 3),
  // Behind another site.
  ...site('site:3', 'site:1', 1),
  element('router:B', { longitude: 20, place: 'Beta' }),
  element('router:A', { longitude: 10, place: 'Alpha' }),
  element('card:A/1', { parent: 'router:A' }),
  element('link:A-B', { ends: ['card:A/1', 'router:B'] }),
  element('gateway:G', { parent: 'router:B' }),
  element('duct:9'),
]);
const healthy = () => 5;

test('routers stand above sites, these above cells, and other kinds below; what hangs together stands in one order', () => {
  const { places, layers, leftOut, towns } = layered(ALL, healthy, 760);
  expect(layers.map(({ kind, count }) => [kind, count])).toEqual([['router', 2], ['site', 3], ['cell', 6], ['gateway', 1]]);
  const tops = layers.map(({ y }) => y);
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  const row = (kind: string) => [...places.values()].filter((it) => it.element.kind === kind).sort((a, b) => a.x - b.x).map((it) => it.element.id);
  expect(row('router')).toEqual(['router:A', 'router:B']);
  expect(row('site')).toEqual(['site:1', 'site:3', 'site:2']);
  expect(row('cell').map((id) => id.slice(5, 11))).toEqual(['site:1', 'site:1', 'site:1', 'site:3', 'site:2', 'site:2']);
  expect([leftOut, towns.map((it) => it.name)]).toEqual([0, ['Alpha', 'Beta']]);
});

test('links lead to what is drawn of their ends, and what is built in to what it is built into', () => {
  const { ways, inner } = layered(ALL, healthy, 760);
  const ends = ways.map(({ from, to }) => `${from.element.id} ${to.element.id}`);
  expect(ends.sort()).toEqual(['router:A router:B', 'router:A site:1', 'router:B site:2', 'site:1 site:3']);
  expect(inner.filter(([part]) => part.element.kind !== 'cell').map(([part, whole]) => [part.element.id, whole.element.id])).toEqual([['gateway:G', 'router:B']]);
  expect(inner.length).toBe(7);
  const circle = new Map([element('site:x', { parent: 'zone:y' }), element('zone:y', { parent: 'zone:y' })]);
  expect(layered(circle, healthy, 760).inner).toEqual([]);
});

test('of more than are drawn those with the worst alarms are, then what is above; all of it on the sheet and apart', () => {
  const many = new Map([element('router:A'), ...[...Array(200).keys()].flatMap((n) => site(`site:${n}`, 'router:A', 3))]);
  const { places, leftOut, layers, height } = layered(many, (id) => (id === 'cell:site:199/2' ? 0 : 5), 760);
  expect([places.size, leftOut, places.has('cell:site:199/2'), places.has('cell:site:199/1'), places.has('site:199')]).toEqual([500, 301, true, false, true]);
  expect(layers.map((it) => it.count)).toEqual([1, 200, 299]);
  // One cell of each site before a second of any.
  expect([...Array(200).keys()].every((n) => places.has(`cell:site:${n}/0`) || n === 199)).toBe(true);
  const all = [...places.values()];
  expect(all.every(({ x, y }) => x > 0 && x < 760 && y > 0 && y < height)).toBe(true);
  const far = (a: (typeof all)[0], least: number, b: (typeof all)[0]) => Math.min(least, Math.hypot(a.x - b.x, a.y - b.y));
  const least = all.reduce((known, a, at) => all.slice(0, at).reduce((so, b) => far(a, so, b), known), Infinity);
  expect(least).toBeGreaterThan(15);
  // While all are drawn nothing moves, whatever is the matter.
  expect(layered(ALL, () => Math.random(), 760)).toEqual(layered(ALL, healthy, 760));
});

test('a link within a layer is bent above it, others are straight', () => {
  const [a, b, c] = [{ x: 0, y: 100 }, { x: 80, y: 100 }, { x: 40, y: 200 }];
  const by = bend({ from: a, to: b }, true);
  expect(by).toEqual({ x: 40, y: 60 });
  expect(along({ from: a, to: b }, by, 0.5)).toEqual({ x: 40, y: 80 });
  expect(bend({ from: a, to: b }, false)).toEqual({ x: 40, y: 100 });
  const straight = bend({ from: a, to: c }, true);
  expect(along({ from: a, to: c }, straight, 0.25)).toEqual({ x: 10, y: 125 });
});
