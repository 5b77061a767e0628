import { expect, test } from 'vitest';
import { listed, notified, open, troubles, type Listed } from './alarms';
import { concerns, done, isNamed, what } from './done';
import { attributes, doing, elements, owner, parts, power, type Element, type Told } from './elements';
import { laid } from './graph';
import { bounded, DIRECTIONS, free, lines, named, next, projected, spread } from './places';

const placed = (longitude: string, latitude: string, more: object = {}) => ({
  'convoke-ems:longitude': longitude,
  'convoke-ems:latitude': latitude,
  ...more,
});

const NETWORKS: Told[] = [
  {
    'network-id': 'network:ip',
    node: [
      { 'node-id': 'router:R', 'convoke-ems:kind': 'router', ...placed('20.0', '52.0', { 'convoke-ems:vendor': 'Vantrel' }) },
      {
        'node-id': 'card:R/1',
        'convoke-ems:kind': 'card',
        'convoke-ems:parent': 'router:R',
        'ietf-network-topology:termination-point': [{ 'tp-id': 'optic:R-S1/a', 'convoke-ems:kind': 'optic' }],
      },
    ],
    'ietf-network-topology:link': [
      {
        'link-id': 'link:R-S1',
        source: { 'source-node': 'card:R/1', 'source-tp': 'optic:R-S1/a' },
        destination: { 'dest-node': 'site:S-1' },
        'convoke-ems:kind': 'link',
        'convoke-ems:backbone': false,
        'convoke-ems:duct': ['duct:1', 'duct:2'],
      },
    ],
  },
  {
    'network-id': 'network:wireless',
    node: [
      { 'node-id': 'zone:Z', 'convoke-ems:kind': 'zone', ...placed('21.0', '51.0') },
      { 'node-id': 'site:S-1', 'convoke-ems:kind': 'site', 'convoke-ems:parent': 'zone:Z', ...placed('21.0', '51.0') },
      ...['1', '2'].map((n) => ({
        'node-id': `cell:S-1/${n}`,
        'convoke-ems:kind': 'cell',
        'convoke-ems:parent': 'site:S-1',
        'convoke-ems:cell': { azimuth: '120.0', neighbour: ['cell:S-2/1'] },
      })),
    ],
  },
];
const ALL = elements(NETWORKS);

test('cells and cards belong to what stands on the map, and a site to itself', () => {
  const owners = ['cell:S-1/1', 'site:S-1', 'card:R/1', 'optic:R-S1/a', 'router:R', 'link:R-S1', 'zone:Z', 'duct:9'].map((id) => owner(ALL, id));
  expect(owners).toEqual(['site:S-1', 'site:S-1', 'router:R', 'router:R', 'router:R', 'link:R-S1', 'zone:Z', 'duct:9']);
  expect(parts(ALL, 'router:R').map((it) => it.id)).toEqual(['card:R/1', 'optic:R-S1/a', 'link:R-S1']);
  expect(parts(ALL, 'card:R/1').map((it) => it.id)).toEqual(['optic:R-S1/a', 'link:R-S1']);
  expect(parts(ALL, 'zone:Z').map((it) => it.id)).toEqual(['site:S-1']);
  const circle = elements([{ 'network-id': 'n', node: [{ 'node-id': 'card:x', 'convoke-ems:parent': 'card:x' }] }]);
  expect(owner(circle, 'card:x')).toBe('card:x');
});

test('all that is documented of an element is read where it is, and said once', () => {
  const paths = ['cell:S-1/1', 'link:R-S1', 'optic:R-S1/a'].map((id) => ALL.get(id)!.path.replace(/^ietf-network:networks.network=network%3A/, ''));
  const inside = 'ietf-network-topology';
  expect(paths).toEqual(['wireless/node=cell%3AS-1%2F1', `ip/${inside}:link=link%3AR-S1`, `ip/node=card%3AR%2F1/${inside}:termination-point=optic%3AR-S1%2Fa`]);
  const [ip, wireless] = NETWORKS;
  // What is inside the container of a cell is said as well; other elements and where it is built in have places of their own.
  expect(attributes(wireless!.node![2]!)).toEqual([['azimuth', '120.0'], ['neighbour', 'cell:S-2/1']]);
  expect(attributes(ip!.node![1]!)).toEqual([]);
  expect(attributes(ip!['ietf-network-topology:link']![0]!)).toEqual([['backbone', 'false'], ['duct', 'duct:1, duct:2']]);
});

test('a site is as busy as its busiest cell, and consumes what they do', () => {
  const cell = (n: string, load: string, saving: string) => ({ id: `cell:S-1/${n}`, load, saving, energy: '0.25' });
  const found = doing(ALL, [{ cell: [cell('1', '0.8', 'off'), cell('2', '0.1', 'deep-sleep')] }, { link: [{ id: 'link:R-S1', utilisation: '1.2' }] }]);
  expect(found.get('site:S-1')).toEqual({ load: 0.8, energy: 0.5, cells: 2, asleep: 1 });
  expect(found.get('cell:S-1/1')).toEqual({ load: 0.8, energy: 0.25, cells: 0, asleep: 0 });
  expect(found.get('cell:S-1/2')).toEqual({ load: 0.1, energy: 0.25, cells: 0, asleep: 1 });
  expect(found.get('router:R')).toEqual({ load: 1.2, cells: 0, asleep: 0 });
  // It serves.
  expect(doing(ALL, [{ cell: [cell('1', '0.8', 'symbol-shutdown')] }]).get('site:S-1')!.asleep).toBe(0);
  expect(found.get('link:R-S1')).toEqual({ load: 1.2, cells: 0, asleep: 0 });
});

const at = (minute: number) => `2026-11-21T08:${String(minute).padStart(2, '0')}:00Z`;
const names = (resource: string, type: string, severity: string) => ({
  resource,
  'alarm-type-id': `convoke-ems:${type}`,
  'alarm-type-qualifier': '',
  'perceived-severity': severity,
});
const raised = (resource: string, type: string, severity: string, minute: number): Listed => ({
  ...names(resource, type, severity),
  'is-cleared': false,
  'last-raised': at(minute),
  'last-changed': at(minute),
});
const told = (resource: string, type: string, severity: string, minute: number) => ({ ...names(resource, type, severity), time: at(minute) });

test('what was told while the list was read is in it once, and what comes late changes nothing', () => {
  const alarms = listed([raised('link:R-S1', 'link-down', 'major', 3), raised('cell:S-1/1', 'cell-degraded', 'minor', 1)]);
  // In the list already; cleared, with a raise from before that came later; new; worse.
  notified(alarms, told('link:R-S1', 'link-down', 'major', 3));
  notified(alarms, told('cell:S-1/1', 'cell-degraded', 'cleared', 5));
  notified(alarms, told('cell:S-1/1', 'cell-degraded', 'minor', 4));
  notified(alarms, told('site:S-1', 'cells-out-of-service', 'critical', 6));
  notified(alarms, told('link:R-S1', 'link-down', 'critical', 7));
  const found = open(alarms.values());
  expect(found.map((it) => [it.resource, it.type, it.severity, it.raised])).toEqual([
    ['link:R-S1', 'link-down', 'critical', at(3)],
    ['site:S-1', 'cells-out-of-service', 'critical', at(6)],
  ]);
  // Raised anew, it stands since then.
  notified(alarms, told('cell:S-1/1', 'cell-degraded', 'warning', 9));
  expect(open(alarms.values()).at(-1)).toMatchObject({ severity: 'warning', raised: at(9) });
});

test('an alarm colours its element and where that belongs; a site is out by its own alarm only', () => {
  const alarms = open(listed([raised('cell:S-1/1', 'cell-unavailable', 'major', 1), raised('card:R/1', 'card-failure', 'critical', 2), raised('duct:9', 'unknown', 'odd', 3)]).values());
  const found = troubles(ALL, alarms);
  expect(Object.fromEntries(found)).toEqual({
    'card:R/1': { worst: 'critical', count: 1, isOut: false },
    'router:R': { worst: 'critical', count: 1, isOut: false },
    'cell:S-1/1': { worst: 'major', count: 1, isOut: false },
    'site:S-1': { worst: 'major', count: 1, isOut: false },
    'duct:9': { worst: 'indeterminate', count: 1, isOut: false },
  });
  const out = open(listed([raised('site:S-1', 'site-unreachable', 'critical', 1), raised('site:S-1', 'battery-low', 'minor', 2)]).values());
  expect(troubles(ALL, out).get('site:S-1')).toEqual({ worst: 'critical', count: 2, isOut: true });
});

test('at most 500 nodes are drawn, those with the worst alarms first, then routers', () => {
  const node = (id: string) => ({ 'node-id': id, 'convoke-ems:kind': id.split(':')[0], 'convoke-ems:place': id < 'site:300' ? 'A' : 'B', ...placed('20.0', '52.0') });
  const sites = Array.from({ length: 600 }, (_, n) => node(`site:${String(n).padStart(3, '0')}`));
  const many = elements([{ 'network-id': 'n', node: [...sites, node('router:A'), node('cell:1'), { 'node-id': 'site:nowhere', 'convoke-ems:kind': 'site' }] }]);
  const { drawn, leftOut } = bounded(many.values(), (id) => (id === 'site:599' ? 0 : 5));
  expect([drawn.length, leftOut]).toEqual([500, 102]);
  expect(drawn.slice(0, 4).map((it) => it.id)).toEqual(['site:599', 'router:A', 'site:000', 'site:300']);
  expect(drawn.filter((it) => it.kind === 'site' && it.place === 'A').length).toBe(249);
});

test('the map keeps its proportions, north above, within its margins; one alone is in the middle', () => {
  const nodes = [ALL.get('router:R')!, ALL.get('site:S-1')!];
  const places = projected(nodes, 300, 100, 10);
  const [router, site] = [places.get('router:R')!, places.get('site:S-1')!];
  expect([router.y, site.y]).toEqual([10, 90]);
  // At 51.5° a degree of longitude is 0.62 of one of latitude.
  expect((site.x - router.x) / (site.y - router.y)).toBeCloseTo(Math.cos((51.5 * Math.PI) / 180));
  expect((site.x + router.x) / 2).toBeCloseTo(150);
  expect(projected([nodes[0]!], 300, 100, 10).get('router:R')).toMatchObject({ x: 150, y: 50 });
  expect(lines(ALL, places).map((it) => [it.element.id, it.from.element.id, it.to.element.id])).toEqual([['link:R-S1', 'router:R', 'site:S-1']]);
  expect(lines(ALL, projected([nodes[0]!], 300, 100, 10))).toEqual([]);
});

test('a town is drawn as large as there is room before the next', () => {
  const spot = (id: string, place: string, x: number, y: number) => ({ element: { ...ALL.get('router:R')!, id, kind: id.split(':')[0]!, place }, x, y });
  const all = [spot('site:a1', 'A', 101, 100), spot('router:A', 'A', 100, 100), spot('site:a2', 'A', 100, 102), spot('router:B', 'B', 150, 100)];
  const { places, towns } = spread(new Map(all.map((it) => [it.element.id, it])));
  const at = (id: string) => [places.get(id)!.x, places.get(id)!.y].map(Math.round);
  expect(['router:A', 'site:a1', 'site:a2', 'router:B'].map(at)).toEqual([[100, 100], [111, 100], [100, 121], [150, 100]]);
  expect(towns).toEqual([{ name: 'A', x: 100, y: 121, size: 3 }, { name: 'B', x: 150, y: 100, size: 1 }]);
});

test('arrow keys lead to the nearest that lies there, and stop at the edge', () => {
  const spot = (id: string, x: number, y: number) => ({ element: { ...ALL.get('router:R')!, id }, x, y });
  const [here, near, far, aside] = [spot('here', 0, 0), spot('near', 10, 4), spot('far', 30, 0), spot('aside', 2, 20)];
  const all = [far, aside, here, near];
  const led = (key: string) => next(all, here, DIRECTIONS[key]!)?.element.id;
  expect(['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'].map(led)).toEqual(['near', 'aside', undefined, undefined]);
});

test('a task is about an element that it names as a whole', () => {
  expect(isNamed('look at card:R/1, please', 'card:R/1')).toBe(true);
  expect(isNamed('cards card:R/10 and card:R/1.', 'card:R/1')).toBe(true);
  for (const [text, id] of [['card:R/10', 'card:R/1'], ['link:R-S1', 'link:R'], ['postcard:R/1', 'card:R/1'], ['site:S-1/2', 'site:S-1'], ['', 'site:S-1']]) {
    expect(isNamed(text!, id!), text).toBe(false);
  }
  // Whatever others wrote is looked at once: neither forever, nor a while for each sign of it.
  expect(['', '-', '.'].map((id) => isNamed('-'.repeat(1_000_000) + 'a', id))).toEqual([false, false, false]);
  expect(isNamed(`${'a-'.repeat(200_000)}b`, 'a')).toBe(false);
  expect(concerns('##target object\nRouter Berlin\n##task description\nlook', 'router:Berlin')).toBe(true);
  expect(concerns('##target object\nrouter Berlin-2\n##task description\nlook', 'router:Berlin')).toBe(false);
  const task = (id: string, content: string | undefined, minute: number) => ({
    ...{ 'task-id': id, 'task-sendFrom': 'a', 'task-sendTo': 'b', 'task-status': 'finished' },
    ...{ content, 'created-at': at(minute) },
  });
  const tasks = [task('old', 'repair site:S-1', 1), task('other', 'repair site:S-10', 2), task('new', '{"site":"site:S-1"}', 3), task('told', undefined, 4)];
  expect(done(tasks, 'site:S-1').map((it) => it['task-id'])).toEqual(['new', 'old']);
  expect(what(task('long', `##target object\nx\n##task description\n${'y'.repeat(200)}`, 1))).toBe(`${'y'.repeat(160)}…`);
});

test('what stands nowhere is laid out by its links, alike each time and apart', () => {
  const node = (id: string) => ({ 'node-id': id, 'convoke-ems:kind': id.split(':')[0], ...placed('0.000000', '0.0') });
  const names = (routers: number, sites: number) => [...Array(routers).keys()].map((n) => `router:${n}`).concat([...Array(sites).keys()].map((n) => `site:${n}`));
  const network = (routers: number, sites: number) => {
    const ways = [...Array(routers).keys()].map((n): [string, string] => [`router:${n}`, `router:${(n + 1) % routers}`]);
    const all = ways.concat([...Array(sites).keys()].map((n): [string, string] => [`router:${n % routers}`, `site:${n}`]));
    const link = ([a, b]: [string, string]) => ({ 'link-id': `link:${a}-${b}`, source: { 'source-node': a }, destination: { 'dest-node': b } });
    return elements([{ 'network-id': 'n', node: names(routers, sites).map(node), 'ietf-network-topology:link': all.map(link) }]);
  };
  const drawn = (all: Map<string, Element>) => projected(bounded(laid(all, () => 0).values(), () => 0).drawn, 760, 620, 64);
  const few = drawn(network(6, 12));
  expect(drawn(network(6, 12))).toEqual(few);
  const far = (a: string, b: string) => Math.hypot(few.get(a)!.x - few.get(b)!.x, few.get(a)!.y - few.get(b)!.y);
  const own = [...Array(12).keys()].map((n) => far(`site:${n}`, `router:${n % 6}`));
  const others = [...Array(12).keys()].map((n) => far(`site:${n}`, `router:${(n + 3) % 6}`));
  expect(Math.max(...own)).toBeLessThan(Math.min(...others));
  const ids = names(6, 12);
  expect(Math.min(...ids.flatMap((a, at) => ids.slice(0, at).map((b) => far(a, b))))).toBeGreaterThan(20);
  // As many as are drawn, without links, and one alone.
  expect(drawn(network(40, 600)).size).toBe(500);
  expect(drawn(elements([{ 'network-id': 'n', node: [node('site:1'), node('site:2')] }])).size).toBe(2);
  expect(drawn(elements([{ 'network-id': 'n', node: [node('site:1')] }])).get('site:1')).toMatchObject({ x: 380, y: 310 });
  // Where some stand somewhere, these are drawn.
  expect(laid(ALL, () => 0)).toBe(ALL);
  // Of more, those with the worst trouble are laid out, and what has none is left out.
  const ill = laid(network(40, 600), (id) => (id === 'site:599' ? 0 : 5));
  expect([ill.get('site:599')!.longitude === 0, ill.get('site:460')!.longitude === 0, ill.get('router:39')!.longitude === 0]).toEqual([false, true, false]);
});

test('cells draw together what they consumed in the period, by the hour', () => {
  const cell = (id: string, energy: string, saving: string) => ({ id, energy, saving });
  const period = { from: at(0), until: at(15), cell: [cell('cell:1', '0.5', 'off'), cell('cell:2', '0.25', 'deep-sleep')] };
  expect(power([{}, period])).toEqual({ until: at(15), kw: 3, cells: 2, asleep: 1 });
  expect(power([{ from: at(0), until: at(15), link: [] }])).toBeUndefined();
});

test('a sign stands where nothing is, or else where most room is', () => {
  const spots = [{ x: 50, y: 0 }, { x: 40, y: 0 }, { x: 60, y: 0 }];
  expect(free(spots, [], 10)).toBe(spots[0]);
  expect(free(spots, [{ x: 51, y: 0 }, { x: 43, y: 0 }], 5).x).toBe(60);
  expect(free(spots, [{ x: 48, y: 0 }, { x: 59, y: 0 }], 20).x).toBe(40);
});

test('of alarms that are as bad, what tells the cause stands before what only tells that something does not serve', () => {
  const alarms = listed([raised('site:S-1', 'site-unreachable', 'critical', 5), raised('router:R', 'node-unreachable', 'critical', 1), raised('link:R-S1', 'link-down', 'major', 9)]);
  expect(open(alarms.values()).map((it) => it.resource)).toEqual(['router:R', 'site:S-1', 'link:R-S1']);
});

test('of two names that would lie upon each other, that of the larger town is written', () => {
  const town = (name: string, x: number, y: number, size: number) => ({ name, x, y, size });
  const names = (...all: ReturnType<typeof town>[]) => named(all).map((it) => it.name).sort();
  expect(names(town('Köln', 100, 100, 3), town('Düsseldorf', 120, 105, 5), town('Essen', 118, 121, 1))).toEqual(['Düsseldorf', 'Essen']);
  expect(names(town('北京', 100, 100, 2), town('天津', 124, 100, 1))).toEqual(['北京']);
  expect(names(town('北京', 100, 100, 2), town('天津', 130, 100, 1))).toEqual(['北京', '天津']);
});
