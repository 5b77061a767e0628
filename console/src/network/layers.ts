// The network in layers: routers above, the sites behind them below, their cells below those, then whatever else is documented.
// What hangs together stands below each other. Pure. Read next: Map.svelte, which draws it; places.ts, where things stand on the map.
import type { Element } from './elements';
import { DRAWN_MAX, type Line, type Place, type Town } from './places';

/** From above; other kinds follow. */
const LAYERS = ['router', 'site', 'cell'];
/** What counts at what it is built into, or at the sites that it feeds: the table has it. */
const INSIDE = ['card', 'optic', 'duct', 'zone'];
/** Between two that stand beside or below each other in a layer, above a layer, and beside all. */
const [GAP, ABOVE, MARGIN] = [17, 130, 40];

export interface Layered {
  places: Map<string, Place>;
  /** The names of what is uppermost. */
  towns: Town[];
  ways: Line[];
  /** From what is built into something to that. */
  inner: [Place, Place][];
  layers: { kind: string; count: number; y: number }[];
  leftOut: number;
  height: number;
}

/** What is drawn, on a sheet so wide, `unit` times as large as usual: of more than `most` those with the worst trouble (`rank`, the least first). */
export function layered(all: Map<string, Element>, rank: (id: string) => number, width: number, unit = 1, most = DRAWN_MAX): Layered {
  const nodes = [...all.values()].filter((it) => !it.ends && !INSIDE.includes(it.kind));
  const kinds = [...new Set([...LAYERS, ...nodes.map((it) => it.kind)])];
  const level = (it: Element) => kinds.indexOf(it.kind);
  const order = (a: Element, b: Element) => level(a) - level(b) || (a.longitude ?? 0) - (b.longitude ?? 0) || (a.id < b.id ? -1 : 1);
  // What is the matter moves nothing while all of it is drawn.
  const chosen = nodes.length > most ? ranked(nodes, rank, level).slice(0, most) : nodes;
  const places = new Map(chosen.sort(order).map((element): [string, Place] => [element.id, { element, x: 0, y: 0 }]));

  /** What is drawn of an element: itself, or what it is built into. */
  const shown = (id: string | undefined): Place | undefined => {
    let at = id;
    // What documents itself in a circle is drawn nowhere.
    for (let steps = 0; at !== undefined && steps < 8; steps += 1) {
      const place = places.get(at);
      if (place) return place;
      at = all.get(at)?.parent;
    }
    return undefined;
  };
  const ways = [...all.values()].flatMap((element): Line[] => {
    const [from, to] = (element.ends ?? []).map(shown);
    return from && to && from !== to ? [{ element, from, to }] : [];
  });
  const inner = [...places.values()].flatMap((place): [Place, Place][] => {
    const above = shown(place.element.parent);
    return above && above !== place ? [[place, above]] : [];
  });

  const near = new Map<Place, Place[]>();
  for (const [a, b] of [...inner, ...ways.map(({ from, to }): [Place, Place] => [from, to])]) {
    near.set(a, [...(near.get(a) ?? []), b]);
    near.set(b, [...(near.get(b) ?? []), a]);
  }
  // Each with what hangs on it, as far as that does not hang on another of the uppermost.
  const seen = new Set<Place>();
  for (const root of places.values()) {
    const waits = [root];
    for (let it = waits.pop(); it; it = waits.pop()) {
      if (seen.has(it)) continue;
      seen.add(it);
      waits.push(...(near.get(it) ?? []).filter((next) => level(next.element) > 0).reverse());
    }
  }

  let y = 0;
  const layers = kinds.flatMap((kind) => {
    const own = [...seen].filter(({ element }) => element.kind === kind);
    if (own.length === 0) return [];
    const lines = Math.ceil(own.length / Math.max(1, Math.floor((width - 2 * MARGIN) / (GAP * unit))));
    const columns = Math.ceil(own.length / lines);
    const top = y + ABOVE;
    own.forEach((it, place) => {
      it.x = MARGIN + ((Math.floor(place / lines) + 0.5) * (width - 2 * MARGIN)) / columns;
      it.y = top + (place % lines) * GAP * unit;
    });
    y = top + (lines - 1) * GAP * unit;
    return [{ kind, count: own.length, y: top }];
  });
  const uppermost = [...seen].filter(({ element }) => element.kind === layers[0]?.kind);
  const towns = uppermost.map((it) => ({ name: it.element.place || it.element.id, x: it.x, y: it.y, size: near.get(it)?.length ?? 0 }));
  return { places, towns, ways, inner, layers, leftOut: nodes.length - chosen.length, height: y + MARGIN };
}

/** The worst first, of what is as bad what is above; of that in turn what is built into one and into another. */
function ranked(nodes: Element[], rank: (id: string) => number, level: (it: Element) => number): Element[] {
  const turns = new Map<string, number>();
  const all = nodes.map((it) => {
    const among = it.parent ?? it.place;
    const turn = turns.get(among) ?? 0;
    turns.set(among, turn + 1);
    return { it, rank: rank(it.id), level: level(it), turn };
  });
  return all.sort((a, b) => a.rank - b.rank || a.level - b.level || a.turn - b.turn).map(({ it }) => it);
}

interface Spot {
  x: number;
  y: number;
}

/** Where a link bends: above what stands in one layer, and nowhere else. */
export function bend({ from, to }: { from: Spot; to: Spot }, isLayered: boolean): Spot {
  const isBent = isLayered && Math.abs(from.y - to.y) < 1;
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - (isBent ? Math.min(ABOVE, 20 + Math.abs(from.x - to.x) / 4) : 0) };
}

/** A spot of a link that is bent so, at a share of it. */
export function along({ from, to }: { from: Spot; to: Spot }, by: Spot, share: number): Spot {
  const at = (axis: 'x' | 'y') => (1 - share) ** 2 * from[axis] + 2 * share * (1 - share) * by[axis] + share ** 2 * to[axis];
  return { x: at('x'), y: at('y') };
}
