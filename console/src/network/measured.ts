// Who had an element measured, as the audit trail tells whoever may read it: the last of a day, as far as so many entries
// of the log go. The trail is read from a place on, oldest first, so that the place is counted back from the end.
// Read next: Measured.svelte; docs/audit.md.

/** The rpc that reads the audit trail, which not everybody may. */
export const AUDIT = 'convoke-audit:get-audit';

/** How far is looked back. */
export const BACK_MS = 86_400_000;
/** How many entries of the log are gone through at most. */
export const ENTRIES_MAX = 32_768;
/** The most pages that are asked for; one goes through 4,096 entries, or holds as many records as were asked for. */
const PAGES_MAX = 16;
const OF_PAGE = 1_000;

/** That somebody had it measured, once or more often within a minute. */
export interface Measurement {
  sequence: string;
  /** When it was measured, the first time if it was more than one. */
  first: string;
  user?: string;
  source?: string;
  count: number;
}

interface Page {
  record?: (Measurement & { subject?: string })[];
  next?: string;
}

/** Asks for the measurements of an element, the newest first. `now` is the platform's time, `end` the last place of its log. */
export async function measurements(id: string, now: number, end: number, page: (input: object) => Promise<Page>): Promise<Measurement[]> {
  const found: Measurement[] = [];
  let after: string | undefined = String(Math.max(0, end - ENTRIES_MAX));
  const since = new Date(now - BACK_MS).toISOString();
  for (let pages = 0; after !== undefined && pages < PAGES_MAX; pages += 1) {
    const told: Page = await page({ since, after, kind: ['element-measured'], limit: OF_PAGE });
    for (const it of told.record ?? []) if (it.subject === id) found.push(it);
    after = told.next;
  }
  return found.reverse();
}
