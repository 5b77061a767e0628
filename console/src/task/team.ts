// Who spoke to whom in the course of a whole, and where they stand in its picture. Pure.
import type { Exchange } from './threads.svelte';

export interface Way {
  from: string;
  to: string;
  count: number;
}

export interface Place {
  name: string;
  x: number;
  y: number;
}

/** Who spoke to whom how often, answers and what is on no record included, most first. */
export function ways(exchanges: Exchange[], besides: { from: string; to: string }[] = []): Way[] {
  const counts = new Map<string, Way>();
  const said = exchanges.flatMap((it) => [
    { from: it.sendFrom, to: it.sendTo },
    // An answer goes back.
    ...(it['response-info']?.time ? [{ from: it.sendTo, to: it.sendFrom }] : []),
  ]);
  for (const { from, to } of [...said, ...besides]) {
    const key = JSON.stringify([from, to]);
    const way = counts.get(key) ?? { from, to, count: 0 };
    way.count += 1;
    counts.set(key, way);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

/** All of them on an ellipse, in the order in which they first spoke or were spoken to. */
export function places(of: Way[], width: number, height: number): Map<string, Place> {
  const names = [...new Set(of.flatMap((way) => [way.from, way.to]))];
  return new Map(
    names.map((name, place) => {
      const angle = (2 * Math.PI * place) / names.length - Math.PI / 2;
      return [name, { name, x: width / 2 + Math.cos(angle) * width * 0.32, y: height / 2 + Math.sin(angle) * height * 0.38 }];
    }),
  );
}

/** A bent line from one to another that ends before it, so that there and back lie apart. */
export function path(from: Place, to: Place, short: number): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const far = Math.hypot(dx, dy) || 1;
  const [bx, by] = [(from.x + to.x) / 2 - dy * 0.12, (from.y + to.y) / 2 + dx * 0.12];
  const end = (it: Place) => {
    const near = Math.hypot(bx - it.x, by - it.y) || 1;
    return [it.x + ((bx - it.x) / near) * Math.min(short, far / 3), it.y + ((by - it.y) / near) * Math.min(short, far / 3)];
  };
  const [a, b] = [end(from), end(to)];
  const round = (numbers: number[]) => numbers.map((it) => it.toFixed(1)).join(' ');
  return `M ${round(a)} Q ${round([bx, by])} ${round(b)}`;
}
