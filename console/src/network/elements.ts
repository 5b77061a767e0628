// What the management systems document of the network (RFC 8345 with convoke-ems), and what their counters said last.
// Pure. Read next: alarms.ts, what is wrong with it; places.ts, where it is drawn.

/** What is documented of an element, as far as it is shown; `kind:name` is its identifier everywhere. */
export interface Element {
  id: string;
  kind: string;
  place: string;
  /** The network that has it, which is of the management system of its domain. */
  network: string;
  /** What it is built into. */
  parent?: string;
  longitude?: number;
  latitude?: number;
  /** Of a link: the elements that it ends at. */
  ends?: [string, string];
  isBackbone?: boolean;
  /** Where all that is documented of it is read. */
  path: string;
}

type Leaves = Record<string, unknown>;

/** A network as it is read. */
export interface Told {
  'network-id': string;
  node?: Leaves[];
  'ietf-network-topology:link'?: Leaves[];
}

/** What counts in a period, of cells and of links. */
export interface Performance {
  from?: string;
  until?: string;
  cell?: Figures[];
  link?: Figures[];
}

/** Numbers as RFC 7951 writes them, as texts, and the identifier. */
export interface Figures {
  id: string;
  load?: string;
  utilisation?: string;
  energy?: string;
  saving?: string;
  [name: string]: string | undefined;
}

const plain = (name: string) => name.slice(name.indexOf(':') + 1);

/** What is read of all elements. More is read of the one that is looked at: of 200 sites all of it is over a megabyte. */
export const READ =
  'network-id;node(node-id;convoke-ems:kind;convoke-ems:place;convoke-ems:parent;convoke-ems:longitude;convoke-ems:latitude;' +
  'ietf-network-topology:termination-point(tp-id;convoke-ems:kind;convoke-ems:place));' +
  'ietf-network-topology:link(link-id;source;destination;convoke-ems:kind;convoke-ems:place;convoke-ems:backbone)';

function element(network: string, path: string, id: string, leaves: Leaves, more: Partial<Element> = {}): Element {
  const text = (name: string) => (leaves[`convoke-ems:${name}`] as string | undefined);
  const number = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
  return {
    id,
    kind: text('kind') ?? id.slice(0, Math.max(0, id.indexOf(':'))),
    place: text('place') ?? '',
    network,
    path: `${path}=${encodeURIComponent(id)}`,
    parent: text('parent'),
    longitude: number('longitude'),
    latitude: number('latitude'),
    ...more,
  };
}

/** Identifiers, which stand above what is said of them, and what is a link of the page itself. */
const NOT_SHOWN = new Set(['node-id', 'link-id', 'tp-id', 'kind', 'parent', 'place']);

/** What is documented of one element, in the words of the modules: leaves, and those of the container of a cell. */
export function attributes(leaves: Leaves): [name: string, value: string][] {
  return Object.entries(leaves).flatMap(([long, value]): [string, string][] => {
    const name = plain(long);
    if (NOT_SHOWN.has(name)) return [];
    if (Array.isArray(value)) return typeof value[0] === 'object' ? [] : [[name, value.join(', ')]];
    if (typeof value !== 'object' || value === null) return [[name, String(value)]];
    return name === 'cell' ? attributes(value as Leaves) : [];
  });
}

/** All elements of networks, by their identifiers. */
export function elements(networks: Told[]): Map<string, Element> {
  const found = new Map<string, Element>();
  const add = (it: Element) => found.set(it.id, it);
  for (const network of networks) {
    const name = network['network-id'];
    const at = `ietf-network:networks/network=${encodeURIComponent(name)}`;
    for (const node of network.node ?? []) {
      const id = String(node['node-id']);
      const it = element(name, `${at}/node`, id, node);
      add(it);
      for (const point of (node['ietf-network-topology:termination-point'] ?? []) as Leaves[]) {
        add(element(name, `${it.path}/ietf-network-topology:termination-point`, String(point['tp-id']), point, { parent: id }));
      }
    }
    for (const link of network['ietf-network-topology:link'] ?? []) {
      const { source, destination } = link as Record<string, Leaves>;
      const ends: [string, string] = [String(source?.['source-node'] ?? ''), String(destination?.['dest-node'] ?? '')];
      const isBackbone = String(link['convoke-ems:backbone']) === 'true';
      add(element(name, `${at}/ietf-network-topology:link`, String(link['link-id']), link, { ends, isBackbone }));
    }
  }
  return found;
}

/** What stands on the map; all else belongs to one of these, or to a link, or is a table's. */
const DRAWN = ['router', 'site'];

/** The element on the map that this one belongs to: a cell to its site, a card to its router; itself if to none. */
export function owner(all: Map<string, Element>, id: string): string {
  let at = all.get(id);
  // What documents itself in a circle has no owner.
  for (let steps = 0; at && steps < 8; steps += 1) {
    if (DRAWN.includes(at.kind)) return at.id;
    at = at.parent === undefined ? undefined : all.get(at.parent);
  }
  return id;
}

/** What belongs to an element: what is built into it, and the links that end there. */
export function parts(all: Map<string, Element>, id: string): Element[] {
  const isIts = (other: string) => other === id || owner(all, other) === id;
  return [...all.values()].filter((it) => it.id !== id && (it.parent === id || isIts(it.id) || it.ends?.some(isIts)));
}

/** How an element is doing, by its counters and those of what belongs to it. */
export interface Doing {
  /** The share of what it can carry that is in use; of a site of its busiest cell, of a router of its busiest link. */
  load?: number;
  /** What it and its cells consumed in the period, kWh. */
  energy?: number;
  /** How many cells it has that reported. */
  cells: number;
  /** How many of them sleep, or whether it does itself. */
  asleep: number;
}

/** How all elements are doing that reported, or of which something did. */
export function doing(all: Map<string, Element>, periods: Performance[]): Map<string, Doing> {
  const found = new Map<string, Doing>();
  const add = (id: string, load: number | undefined, energy: number | undefined, cell: Figures | undefined) => {
    const it = found.get(id) ?? { cells: 0, asleep: 0 };
    if (load !== undefined) it.load = Math.max(it.load ?? 0, load);
    if (energy !== undefined) it.energy = (it.energy ?? 0) + energy;
    if (cell && cell.id !== id) it.cells += 1;
    if (cell && isAsleep(cell)) it.asleep += 1;
    found.set(id, it);
  };
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  for (const period of periods) {
    for (const cell of period.cell ?? []) {
      for (const id of new Set([cell.id, owner(all, cell.id)])) add(id, number(cell.load), number(cell.energy), cell);
    }
    for (const link of period.link ?? []) {
      // Of a site what its cells do counts, not what carries it.
      const routers = (all.get(link.id)?.ends ?? []).map((end) => owner(all, end)).filter((id) => all.get(id)?.kind === 'router');
      for (const id of new Set([link.id, ...routers])) add(id, number(link.utilisation), undefined, undefined);
    }
  }
  return found;
}

/** What all cells drew in a period, and how many of them slept at its end. */
export interface Power {
  until: string;
  kw: number;
  cells: number;
  asleep: number;
}

/** Of the last period in which cells reported; nothing before that. */
export function power(periods: Performance[]): Power | undefined {
  for (const { from = '', until = '', cell = [] } of periods) {
    const hours = (Date.parse(until) - Date.parse(from)) / 3_600_000;
    const energy = cell.reduce((sum, it) => sum + Number(it.energy ?? 0), 0);
    if (cell.length > 0 && hours > 0) return { until, kw: energy / hours, cells: cell.length, asleep: cell.filter(isAsleep).length };
  }
  return undefined;
}

/** Whether a cell serves nobody, to save energy. The amplifier may rest between symbols while it serves. */
function isAsleep(cell: Figures): boolean {
  return cell.saving === 'carrier-shutdown' || cell.saving === 'deep-sleep';
}
