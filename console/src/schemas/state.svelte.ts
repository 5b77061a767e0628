// What is known of schemas: asked for when the page opens, and again when something becomes of one.
import { platform } from '../platform.svelte';
import { read } from '../restconf';

export interface Schema {
  'schema-id': string;
  scenario: string;
  version: number;
  state: string;
  publisher?: string;
  published?: string;
  hash?: string;
  language?: string[];
  'response-schema-id'?: string;
  'yang-module'?: string;
}

export interface Trial {
  'key-name': string;
  state: string;
  since?: string;
  'usage-frequency'?: string;
  'semantic-alignment-accuracy'?: string;
  'value-type-correctness'?: string;
  'client-adoption-rate'?: string;
}

export interface Patch {
  'patch-id': string;
  'parent-schema-id': string;
  patch: string;
  state: string;
  client?: string;
  timestamp?: string;
  'expires-at'?: string;
  'approved-by'?: string[];
  key?: Trial[];
}

export interface Pool {
  scenario: string;
  cohort: string;
  fragments?: string;
  queued?: number;
  cluster?: { id: string; heat?: string; occurrences?: number; clients?: number }[];
}

class Schemas {
  schema = $state.raw<Schema[]>([]);
  patch = $state.raw<Patch[]>([]);
  pool = $state.raw<Pool[]>([]);
  error = $state.raw<Error>();
  /** True once it was read. */
  isKnown = $state(false);
  #looks = 0;

  async look(): Promise<void> {
    this.#looks += 1;
    const mine = this.#looks;
    try {
      const told = await read<{ schema?: Schema[]; patch?: Patch[]; pool?: Pool[] }>('convoke-schema:schemas');
      // What was asked for later is newer.
      if (mine !== this.#looks) return;
      this.schema = told?.schema ?? [];
      this.patch = told?.patch ?? [];
      this.pool = told?.pool ?? [];
      this.isKnown = true;
      this.error = undefined;
    } catch (error) {
      if (mine === this.#looks) this.error = error as Error;
    }
  }
}

export const schemas = new Schemas();

/** The state of a patch as it is now, whatever is shown. */
export async function patchState(name: string): Promise<string | undefined> {
  const told = await read<{ patch?: Patch[] }>('convoke-schema:schemas?fields=patch');
  return told?.patch?.find((it) => it['patch-id'] === name)?.state;
}

/** Looks now, and again whenever the platform tells of schemas. */
export function follow(): void {
  $effect(() => {
    void platform.schemaNews;
    schemas.look();
  });
}
