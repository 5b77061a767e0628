// Where elements are on the map, and what is drawn of many. Pure. Read next: Map.svelte.
import { owner, type Element } from './elements';

/** The most nodes that are drawn. */
export const DRAWN_MAX = 500;

export interface Place {
  element: Element;
  x: number;
  y: number;
}

export interface Line {
  element: Element;
  from: Place;
  to: Place;
}

/**
 * The nodes that are drawn: those with the worst trouble (`rank`, the least first), of what is as bad routers before sites, of
 * all places in turn, as far as there is room; and how many are left out.
 */
export function bounded(all: Iterable<Element>, rank: (id: string) => number, most = DRAWN_MAX): { drawn: Element[]; leftOut: number } {
  const nodes = [...all].filter((it) => it.kind === 'router' || it.kind === 'site');
  const turns = new Map<string, number>();
  const order = nodes.filter(isPlaced).map((it) => {
    const turn = turns.get(it.place) ?? 0;
    turns.set(it.place, turn + 1);
    return { it, rank: rank(it.id), turn };
  });
  order.sort((a, b) => a.rank - b.rank || +(a.it.kind === 'site') - +(b.it.kind === 'site') || a.turn - b.turn);
  const drawn = order.slice(0, most).map(({ it }) => it);
  return { drawn, leftOut: nodes.length - drawn.length };
}

/** Whether it is documented where it stands: the platform says 0 and 0, which is at sea, of what is not. */
export function isPlaced(it: Element): boolean {
  return Number.isFinite(it.longitude) && Number.isFinite(it.latitude) && !(it.longitude === 0 && it.latitude === 0);
}

/**
 * Longitude and latitude on a sheet, north above: a degree of longitude is as long as it is in the middle of the network
 * (equirectangular), and all of it is as large as the sheet lets it be.
 */
export function projected(nodes: Element[], width: number, height: number, margin: number): Map<string, Place> {
  const longitudes = nodes.map((it) => it.longitude!);
  const latitudes = nodes.map((it) => it.latitude!);
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const [wide, high] = [(east - west) * shrink, north - south];
  // Whoever stands alone stands in the middle.
  const room = [wide > 0 ? (width - 2 * margin) / wide : Infinity, high > 0 ? (height - 2 * margin) / high : Infinity];
  const scale = Math.min(...room);
  const unit = Number.isFinite(scale) ? scale : 0;
  return new Map(
    nodes.map((element) => {
      const x = width / 2 + ((element.longitude! - (west + east) / 2) * shrink) * unit;
      const y = height / 2 - (element.latitude! - (south + north) / 2) * unit;
      return [element.id, { element, x, y }];
    }),
  );
}

/** How far from the middle of a town its sites are drawn at most. */
const TOWN = 46;

/** A town: where its name is written. */
export interface Town {
  name: string;
  x: number;
  y: number;
  /** How much stands in it. */
  size: number;
}

/** The size of a character of a name on the sheet, as wide as they are at most; those of Chinese are square. */
const LETTER = { width: 7.6, height: 15, wide: 13 };

function extent({ name, x, y }: Town, unit: number): { left: number; right: number; top: number } {
  const half = [...name].reduce((sum, letter) => sum + (letter > '\u2e7f' ? LETTER.wide : LETTER.width), 0) * (unit / 2);
  return { left: x - half, right: x + half, top: y };
}

/** The towns whose names are written, `unit` times as large as usual: of two whose names would lie upon each other, the one in which more stands. */
export function named(towns: Town[], unit = 1): Town[] {
  const kept: Town[] = [];
  for (const town of [...towns].sort((a, b) => b.size - a.size || a.name.localeCompare(b.name))) {
    const own = extent(town, unit);
    const isFree = kept.every((other) => {
      const its = extent(other, unit);
      return own.right < its.left || its.right < own.left || Math.abs(own.top - its.top) > LETTER.height * unit;
    });
    if (isFree) kept.push(town);
  }
  return kept;
}

/**
 * Towns are points on a map of a country: within each, distances from its router are drawn as much larger as there is room
 * before the next. What stands in a town still lies in its direction from the middle.
 */
export function spread(places: Map<string, Place>): { places: Map<string, Place>; towns: Town[] } {
  const groups = new Map<string, Place[]>();
  // What is in no town is one by itself.
  const town = ({ element }: Place) => element.place || element.id.slice(element.id.indexOf(':') + 1);
  for (const place of places.values()) groups.set(town(place), [...(groups.get(town(place)) ?? []), place]);
  const middles = [...groups].map(([name, group]) => {
    const middle = group.find((it) => it.element.kind === 'router') ?? group[0]!;
    return { name, group, x: middle.x, y: middle.y };
  });
  const found = new Map<string, Place>();
  const towns: Town[] = [];
  for (const town of middles) {
    const others = middles.filter((it) => it !== town).map((it) => Math.hypot(it.x - town.x, it.y - town.y));
    const far = Math.max(...town.group.map((it) => Math.hypot(it.x - town.x, it.y - town.y)));
    const room = Math.min(TOWN, 0.42 * Math.min(Infinity, ...others), 14 * Math.sqrt(town.group.length));
    const factor = far > 0 ? Math.max(1, room / far) : 1;
    let lowest = town.y;
    for (const it of town.group) {
      const y = town.y + (it.y - town.y) * factor;
      lowest = Math.max(lowest, y);
      found.set(it.element.id, { element: it.element, x: town.x + (it.x - town.x) * factor, y });
    }
    towns.push({ name: town.name, x: town.x, y: lowest, size: town.group.length });
  }
  return { places: found, towns };
}

interface Spot {
  x: number;
  y: number;
}

/** The first of some spots that lies apart from what is there; if none does, the one that lies farthest from it. */
export function free<T extends Spot>(spots: T[], there: Iterable<Spot>, apart: number): T {
  const taken = [...there];
  const room = spots.map((it) => Math.min(apart, ...taken.map((other) => Math.hypot(it.x - other.x, it.y - other.y))));
  return spots[room.indexOf(Math.max(...room))]!;
}

/** The links both of whose ends are drawn. */
export function lines(all: Map<string, Element>, places: Map<string, Place>): Line[] {
  const found: Line[] = [];
  for (const element of all.values()) {
    if (!element.ends) continue;
    const [from, to] = element.ends.map((end) => places.get(owner(all, end)));
    if (from && to && from !== to) found.push({ element, from, to });
  }
  return found;
}

export const DIRECTIONS: Record<string, [x: number, y: number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The next place in a direction: the nearest of those that lie rather there than aside; none at the edge. */
export function next(places: Iterable<Place>, from: Place, [dx, dy]: [number, number]): Place | undefined {
  let best: Place | undefined;
  let least = Infinity;
  for (const place of places) {
    const [x, y] = [place.x - from.x, place.y - from.y];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (place === from || along <= 0 || aside > along * 2) continue;
    const far = along + 2 * aside;
    if (far < least) [best, least] = [place, far];
  }
  return best;
}
