// How far pages were scrolled, for whoever comes back to one by the browser's Back. Each entry of its history has a name.

/** What a page shows comes by and by: for so long it is tried. */
const PATIENCE_MS = 1_000;
/** Of more entries it is not kept. */
const PLACES_MAX = 200;

const places = new Map<string, number[]>();
let here = '';
let count = 0;

/** What can be scrolled: the page, and a list with a box of its own. */
const scrolled = () => [document.documentElement, document.querySelector('.list')];

/** Called when somebody is in and the address is as it stays: one comes back to the first page as well. */
export function begin(): void {
  history.scrollRestoration = 'manual';
  const known = (history.state as { place?: string } | null)?.place;
  here = known ?? `${performance.timeOrigin}/${(count += 1)}`;
  if (!known) history.replaceState({ place: here }, '');
}

/** Called when the address has become another, and before that is drawn; a page that was not there begins at its top. */
export function moved(isOther: boolean): void {
  // Those that were left last are last.
  places.delete(here);
  places.set(here, scrolled().map((it) => it?.scrollTop ?? 0));
  for (const oldest of places.keys()) if (places.size > PLACES_MAX) places.delete(oldest);
  begin();
  const wanted = places.get(here) ?? (isOther ? [0, 0] : undefined);
  if (wanted) restore(wanted, here, performance.now() + PATIENCE_MS);
}

function restore(wanted: number[], at: string, until: number): void {
  requestAnimationFrame(() => {
    if (here !== at) return;
    const isThere = scrolled().map((it, place) => !it || ((it.scrollTop = wanted[place]!), Math.abs(it.scrollTop - wanted[place]!) < 2));
    if (isThere.includes(false) && performance.now() < until) restore(wanted, at, until);
  });
}
