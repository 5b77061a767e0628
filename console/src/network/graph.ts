// Where elements are drawn if nobody says where they stand, as of a system that documents by RFC 8345 alone: what is linked
// lies near each other, and all of it apart. The same network always lies alike. Pure. Read next: places.ts.
import type { Element } from './elements';
import { DRAWN_MAX, isPlaced, lines, type Place } from './places';

/** So many pairs are looked at, which takes some tens of milliseconds at the most. */
const PAIRS_MAX = 4_000_000;
const STEPS_MAX = 200;

/**
 * The elements with places of a drawing, as if they were degrees near the equator; as they are if any has a place of its own.
 * Of more than can be drawn those with the worst trouble (`rank`, the least first) have one.
 */
export function laid(all: Map<string, Element>, rank: (id: string) => number): Map<string, Element> {
  const nodes = [...all.values()].filter((it) => it.kind === 'router' || it.kind === 'site');
  if (nodes.some(isPlaced)) return all;
  const order = (a: Element, b: Element) => +(a.kind === 'site') - +(b.kind === 'site');
  // What is the matter moves nothing while all of it is drawn.
  if (nodes.length > DRAWN_MAX) nodes.sort((a, b) => rank(a.id) - rank(b.id) || order(a, b));
  const drawn = nodes.slice(0, DRAWN_MAX).sort(order);
  const spots = new Map(drawn.map((element) => [element.id, { element, x: 0, y: 0 }]));
  const ways = lines(all, spots).map(({ from, to }): [Place, Place] => [from, to]);
  begin(spots, ways);
  settle([...spots.values()], ways);
  const far = Math.max(...[...spots.values()].map((it) => Math.hypot(it.x, it.y)), 1);
  const found = new Map(all);
  for (const { element, x, y } of spots.values()) found.set(element.id, { ...element, longitude: x / far, latitude: -y / far });
  return found;
}

/** Each around the one through which it is reached, the farther the longer the way that was found first, from the one with the most links on. */
function begin(spots: Map<string, Place>, ways: [Place, Place][]): void {
  const near = new Map<Place, Place[]>([...spots.values()].map((it) => [it, []]));
  for (const [from, to] of ways) {
    near.get(from)!.push(to);
    near.get(to)!.push(from);
  }
  const rings = new Map<Place, number>();
  const order: Place[] = [];
  for (const root of [...near.keys()].sort((a, b) => near.get(b)!.length - near.get(a)!.length)) {
    if (rings.has(root)) continue;
    rings.set(root, order.length > 0 ? 1 : 0);
    // Depth first, so that what hangs together stands side by side.
    const waits = [root];
    for (let it = waits.pop(); it; it = waits.pop()) {
      order.push(it);
      for (const next of near.get(it)!) {
        if (rings.has(next)) continue;
        rings.set(next, rings.get(it)! + 1);
        waits.push(next);
      }
    }
  }
  order.forEach((it, place) => {
    const angle = (2 * Math.PI * place) / order.length;
    it.x = (rings.get(it)! + 0.5) * Math.cos(angle);
    it.y = (rings.get(it)! + 0.5) * Math.sin(angle);
  });
}

/** All keep off each other and links draw together, less at each step (Fruchterman and Reingold). */
function settle(spots: Place[], ways: [Place, Place][]): void {
  const steps = Math.min(STEPS_MAX, Math.floor((2 * PAIRS_MAX) / spots.length ** 2));
  const pushed = new Map(spots.map((it) => [it, { x: 0, y: 0 }]));
  const pushes = spots.map((it) => pushed.get(it)!);
  for (let step = 0; step < steps; step += 1) {
    for (const push of pushes) push.x = push.y = 0;
    for (let a = 0; a < spots.length; a += 1) {
      for (let b = 0; b < a; b += 1) {
        const [x, y] = [spots[a]!.x - spots[b]!.x, spots[a]!.y - spots[b]!.y];
        const force = 1 / Math.max(0.01, x * x + y * y);
        pushes[a]!.x += x * force;
        pushes[a]!.y += y * force;
        pushes[b]!.x -= x * force;
        pushes[b]!.y -= y * force;
      }
    }
    for (const [from, to] of ways) {
      const [x, y] = [to.x - from.x, to.y - from.y];
      const force = Math.hypot(x, y);
      const [a, b] = [pushed.get(from)!, pushed.get(to)!];
      a.x += x * force;
      a.y += y * force;
      b.x -= x * force;
      b.y -= y * force;
    }
    const heat = 1 - step / steps;
    spots.forEach((it, place) => {
      // Those that nothing holds do not drift away.
      const push = { x: pushes[place]!.x - it.x * 0.1, y: pushes[place]!.y - it.y * 0.1 };
      const far = Math.hypot(push.x, push.y);
      if (far === 0) return;
      const step = Math.min(far, heat) / far;
      it.x += push.x * step;
      it.y += push.y * step;
    });
  }
}
