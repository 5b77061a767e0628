// Who works for whom: agents by domain, people before them, and the tasks between them; and where each is drawn, in
// layers from those who assign to those who carry out. Pure. Read next: Speaking.svelte.
import { hasEnded } from '../acting';
import type { Agent, Task } from '../platform.svelte';

/** Tasks from one to another. */
export interface Way {
  from: string;
  to: string;
  open: number;
  all: number;
}

/** Somebody, or a whole domain where there are too many. */
export interface Party {
  name: string;
  /** Empty of people. */
  domain: string;
  /** How many it stands for, and how many of these are there; of people nothing is known of that. */
  agents: number;
  online: number;
  isDegraded: boolean;
}

/** The domain of agents that have none. */
export const NO_DOMAIN = '–';
/** More are drawn by their domains. */
export const PARTIES_MAX = 40;
/** Of more domains, the busiest are drawn, and the rest as one. */
export const DOMAINS_MAX = 40;
export const REST = '…';
/** More lines are in the table only, those with the fewest open tasks first. */
export const WAYS_MAX = 120;

/** Between whom there are tasks; most open ones first. */
export function ways(tasks: Iterable<Task>): Way[] {
  const found = new Map<string, Way>();
  for (const task of tasks) {
    const [from, to] = [task['task-sendFrom'], task['task-sendTo']];
    if (!from || !to) continue;
    const key = `${from}\n${to}`;
    const way = found.get(key) ?? { from, to, open: 0, all: 0 };
    way.all += 1;
    if (!hasEnded(task)) way.open += 1;
    found.set(key, way);
  }
  return sorted([...found.values()]);
}

function sorted(all: Way[]): Way[] {
  return all.sort((a, b) => b.open - a.open || b.all - a.all || a.from.localeCompare(b.from) || a.to.localeCompare(b.to));
}

/** All parties, and the tasks between them; by domain where there are too many. */
export function parties(agents: Agent[], between: Way[], most = PARTIES_MAX, mostDomains = DOMAINS_MAX): { parties: Party[]; ways: Way[]; areDomains: boolean } {
  const known = new Map(agents.map((agent) => [agent.name, agent]));
  const people = [...new Set(between.flatMap((way) => [way.from, way.to]))].filter((name) => !known.has(name));
  const own = agents.map((agent) => ({
    name: agent.name,
    domain: agent.domain || NO_DOMAIN,
    agents: 1,
    online: agent.observed?.online ? 1 : 0,
    isDegraded: (agent.observed?.health ?? 'ok') !== 'ok',
  }));
  const others = people.map((name) => ({ name, domain: '', agents: 0, online: 0, isDegraded: false }));
  if (own.length + others.length <= most) return { parties: [...others, ...own], ways: between, areDomains: false };
  const domainOf = (name: string) => (known.has(name) ? known.get(name)!.domain || NO_DOMAIN : '');
  const kept = busiest(new Set(own.map((it) => it.domain)), between, domainOf, mostDomains);
  const drawn = (domain: string) => (domain === '' || kept.has(domain) ? domain : REST);
  const domains = new Map<string, Party>();
  for (const it of [...others, ...own]) {
    const domain = drawn(it.domain);
    const whole = domains.get(domain) ?? { name: domain, domain, agents: 0, online: 0, isDegraded: false };
    whole.agents += it.agents;
    whole.online += it.online;
    whole.isDegraded ||= it.isDegraded;
    domains.set(domain, whole);
  }
  const of = (name: string) => drawn(domainOf(name));
  const joined = new Map<string, Way>();
  for (const way of between) {
    const [from, to] = [of(way.from), of(way.to)];
    const key = `${from}\n${to}`;
    const whole = joined.get(key) ?? { from, to, open: 0, all: 0 };
    whole.open += way.open;
    whole.all += way.all;
    joined.set(key, whole);
  }
  return { parties: [...domains.values()], ways: sorted([...joined.values()]), areDomains: true };
}

/** The domains with the most open tasks. */
function busiest(all: Set<string>, between: Way[], of: (name: string) => string, most: number): Set<string> {
  if (all.size <= most) return all;
  const open = new Map<string, number>();
  for (const way of between) {
    for (const domain of new Set([of(way.from), of(way.to)])) open.set(domain, (open.get(domain) ?? 0) + way.open);
  }
  return new Set([...all].sort((a, b) => (open.get(b) ?? 0) - (open.get(a) ?? 0) || a.localeCompare(b)).slice(0, most));
}

export const BOX = { width: 190, row: 30, head: 24, pad: 8 };
const GAP = { x: 96, y: 16 };
/** What stands above this in a column goes on in the next. */
const HEIGHT_MAX = 460;
const LAYERS_MAX = 4;

export interface Placed extends Party {
  x: number;
  y: number;
}

export interface Box {
  domain: string;
  x: number;
  y: number;
  height: number;
  parties: Placed[];
}

export interface Picture {
  width: number;
  height: number;
  boxes: Box[];
  places: Map<string, Placed>;
}

/** The domains in layers: people first, then whom they assign to, then whom these do. */
export function laid(all: Party[], between: Way[]): Picture {
  const groups = new Map<string, Party[]>();
  for (const party of all) {
    const group = groups.get(party.domain);
    if (group) group.push(party);
    else groups.set(party.domain, [party]);
  }
  const depths = layers(groups, between);
  const order = [...groups.keys()].sort((a, b) => depths.get(a)! - depths.get(b)! || a.localeCompare(b));
  const boxes: Box[] = [];
  let [x, y, layer] = [0, 0, -1];
  for (const domain of order) {
    const members = [...groups.get(domain)!].sort((a, b) => a.name.localeCompare(b.name));
    const height = BOX.head + members.length * BOX.row + BOX.pad;
    const depth = depths.get(domain)!;
    if (layer >= 0 && (depth !== layer || y + height > HEIGHT_MAX)) [x, y] = [x + BOX.width + GAP.x, 0];
    layer = depth;
    const placed = members.map((it, place) => ({ ...it, x, y: y + BOX.head + place * BOX.row }));
    boxes.push({ domain, x, y, height, parties: placed });
    y += height + GAP.y;
  }
  // Each column stands in the middle.
  const height = Math.max(0, ...boxes.map((box) => box.y + box.height));
  const lowest = new Map<number, number>();
  for (const box of boxes) lowest.set(box.x, Math.max(lowest.get(box.x) ?? 0, box.y + box.height));
  for (const box of boxes) {
    const down = (height - lowest.get(box.x)!) / 2;
    box.y += down;
    for (const it of box.parties) it.y += down;
  }
  const places = new Map(boxes.flatMap((box) => box.parties.map((it) => [it.name, it])));
  return { width: x + BOX.width, height, boxes, places };
}

/** How far each domain is from people, or from those to whom nobody else assigns; what has no tasks stands beside the first. */
function layers(groups: Map<string, Party[]>, between: Way[]): Map<string, number> {
  const of = new Map([...groups].flatMap(([domain, members]) => members.map((it) => [it.name, domain] as const)));
  const across = between
    .map(({ from, to }) => [of.get(from), of.get(to)] as const)
    .filter((it): it is readonly [string, string] => it[0] !== undefined && it[1] !== undefined && it[0] !== it[1]);
  const first = groups.has('') ? 1 : 0;
  const isAssigned = new Set(across.filter(([from]) => from !== '').map(([, to]) => to));
  const depths = new Map<string, number>(groups.has('') ? [['', 0]] : []);
  for (const [from] of across) if (from !== '' && !isAssigned.has(from)) depths.set(from, first);
  for (let edge = [...depths.keys()]; edge.length > 0; ) {
    const next = new Set<string>();
    for (const [from, to] of across) {
      if (!edge.includes(from) || depths.has(to)) continue;
      depths.set(to, Math.min(LAYERS_MAX - 1, depths.get(from)! + 1));
      next.add(to);
    }
    edge = [...next];
  }
  for (const domain of groups.keys()) if (!depths.has(domain)) depths.set(domain, first);
  return depths;
}

/** A line from one to another that leaves and comes in at their sides, and the spot after a share of it. */
export function curve(from: Placed, to: Placed, share = 0.5): { d: string; x: number; y: number } {
  const middle = BOX.row / 2;
  const [ay, by] = [from.y + middle, to.y + middle];
  const isSame = from.x === to.x;
  const isOnward = to.x > from.x;
  const ax = from.x + (isSame || isOnward ? BOX.width : 0);
  const bx = to.x + (isSame || !isOnward ? BOX.width : 0);
  const bend = isSame ? Math.min(GAP.x * 0.8, 24 + Math.abs(by - ay) / 5) : (bx - ax) / 2;
  const [cx, dx] = isSame ? [ax + bend, bx + bend] : [ax + bend, bx - bend];
  const left = 1 - share;
  const at = (a: number, b: number, c: number, d: number) => left ** 3 * a + 3 * left ** 2 * share * b + 3 * left * share ** 2 * c + share ** 3 * d;
  const round = (...numbers: number[]) => numbers.map((it) => it.toFixed(1)).join(' ');
  return { d: `M ${round(ax, ay)} C ${round(cx, ay)} ${round(dx, by)} ${round(bx, by)}`, x: at(ax, cx, dx, bx), y: at(ay, ay, by, by) };
}

/** One party and those with whom it has tasks, as far as they are agents, and the tasks between it and them. */
export function neighbourhood(name: string, agents: Agent[], between: Way[]): { agents: Agent[]; ways: Way[] } {
  const own = between.filter((way) => way.from === name || way.to === name);
  const names = new Set([name, ...own.flatMap((way) => [way.from, way.to])]);
  return { agents: agents.filter((it) => names.has(it.name)), ways: own };
}
