// What people asked for before a patch was made: the words that it shows of them, and how often that was said. Pure. Read
// next: patch.ts; docs/schemas.md, on how schemas grow.
import { parsed } from './patch';
import type { Patch, Pool } from './state.svelte';

interface Annotation {
  meaning?: string;
  examples?: [said: string, value: unknown][];
}

export interface Evidence {
  /** Words of one of them, as they were let through. */
  said: string;
  /** How often that was said lately; none where it is not known which of what was said the patch is of. */
  count?: number;
}

/** How the platform writes behind the meaning of a key what clients say of it too. */
const ALSO = /(?:Clients also say '|用户也说：“)([^]+)(?:'\.|”。)$/;

/** What a patch was asked for by; nothing of one that shows no words. */
export function evidence(patch: Patch, pools: Pool[], language: string): Evidence | undefined {
  const { new_keys: added = [], modified_keys: described = [] } = parsed(patch.patch);
  const said = [...added, ...described].map((it) => words(it['annotations'], language)).find(Boolean);
  if (!said) return undefined;
  const pool = pools.find((it) => it.cohort === (patch.client ?? '') && patch['parent-schema-id'].startsWith(`${it.scenario}_v`));
  return { said, count: pool?.cluster?.length === 1 ? pool.cluster[0]!.occurrences : undefined };
}

/** What was said of a key: behind its meaning, or else as an example, of which those that are added stand last. */
function words(annotations: unknown, language: string): string | undefined {
  const all = annotations as Partial<Record<string, Annotation>> | undefined;
  const { meaning = '', examples = [] } = all?.[language] ?? all?.['en'] ?? {};
  return ALSO.exec(meaning)?.[1] ?? examples.at(-1)?.[0];
}
