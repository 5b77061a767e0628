// Which scenarios the platform offers, and the templates of their payloads (draft-zhou §4.1), as `convoke-schema` tells
// them. Read next: assign/form.ts, what is made of a template.
import { session } from './actor.svelte';
import type { Template } from './assign/form';
import { carryOut } from './restconf';

/** The scenario of the shipped templates by which something is repaired. */
export const REPAIR = 'fault_repair';

/** A scenario as `list-scenarios` has it. */
export interface Scenario {
  scenario: string;
  title?: string;
  'schema-id': string;
  'response-schema-id'?: string;
  agent?: string[];
}

/** Those that are offered to the user; none if he may not ask. */
export async function readScenarios(language: string): Promise<Scenario[]> {
  if (!session.may('convoke-schema:list-scenarios')) return [];
  const told = await carryOut<{ scenario?: Scenario[] }>('convoke-schema:list-scenarios', { 'preferred-language': language });
  return told.scenario ?? [];
}

/** A template as it is in use, and as it was published and signed, with what its keys mean. */
export async function readTemplate(schema: string, language?: string): Promise<{ template: Template; signed: object }> {
  const asked = { 'schema-id': schema, ...(language && { 'preferred-language': language }) };
  const told = await carryOut<{ template: string; signed: string }>('convoke-schema:get-schema-template', asked);
  return { template: JSON.parse(told.template), signed: JSON.parse(told.signed) };
}

export interface Violation {
  path: string;
  code?: string;
  expected?: string;
}

/** Where a payload does not keep to its template, and what is expected there; nothing if it does. */
export async function violations(payload: { schema_id: string; payload: object }): Promise<Violation[]> {
  if (!session.may('convoke-schema:validate-payload')) return [];
  const asked = { 'schema-id': payload.schema_id, payload: JSON.stringify(payload.payload) };
  const told = await carryOut<{ valid?: boolean; violation?: Violation[] }>('convoke-schema:validate-payload', asked);
  return told.violation ?? (told.valid === false ? [{ path: '' }] : []);
}
