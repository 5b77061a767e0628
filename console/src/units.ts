// Amounts in the unit in which people read them. Pure.

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** So many bytes in the largest unit of which there is one (SI, powers of 1,000). */
export function scaled(bytes: number): [count: number, unit: (typeof SIZES)[number]] {
  let place = 0;
  let count = bytes;
  for (; count >= 1_000 && place < SIZES.length - 1; place += 1) count /= 1_000;
  return [count, SIZES[place]!];
}
