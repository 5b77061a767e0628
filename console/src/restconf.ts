// Requests to the platform: RESTCONF (RFC 8040) in JSON, in the name of whose session the cookie is.
// It knows no page and no resource. Read next: live.ts, what is followed.

/** One of the errors of an answer (RFC 8040 §7.1). */
export interface Fault {
  'error-tag': string;
  'error-app-tag'?: string;
  'error-path'?: string;
  'error-message'?: string;
}

/** A request that was refused, with the status of its answer, and why. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly faults: Fault[] = [],
  ) {
    super(detail);
  }
}

/** An rpc with its input: what is carried out, or only shown. */
export interface Request {
  /** `module:name` */
  rpc: string;
  input: object;
}

/** What every request that does more than read says, and no page of another origin can. */
const OURS = { 'Console-Request': '1' };

const JSON_TYPE = 'application/yang-data+json';

/** The data at a path below /restconf/data; nothing if there is none, or none for this user. */
export async function read<T>(path: string): Promise<T | undefined> {
  const answer = await fetch(`/restconf/data/${path}`, { headers: { Accept: JSON_TYPE } });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw await refused(answer);
  const data = (await answer.json()) as Record<string, T>;
  return Object.values(data)[0];
}

/** The rpcs that the user may carry out. */
export async function operations(): Promise<Set<string>> {
  const answer = await fetch('/restconf/operations', { headers: { Accept: JSON_TYPE } });
  if (!answer.ok) throw await refused(answer);
  const told = (await answer.json()) as Record<string, object>;
  return new Set(Object.keys(told['ietf-restconf:operations'] ?? {}));
}

/** Carries out an rpc, `module:name`; its output. */
export async function carryOut<T>(rpc: string, input: object): Promise<T> {
  const module = rpc.slice(0, rpc.indexOf(':'));
  const answer = await fetch(`/restconf/operations/${rpc}`, {
    method: 'POST',
    headers: { ...OURS, Accept: JSON_TYPE, 'Content-Type': JSON_TYPE },
    body: JSON.stringify({ [`${module}:input`]: input }),
  });
  if (!answer.ok) throw await refused(answer);
  if (answer.status === 204) return {} as T;
  const data = (await answer.json()) as Record<string, T>;
  return data[`${module}:output`] ?? ({} as T);
}

export interface Who {
  name: string;
  groups: string[];
  credential: { kind: string; expires: string };
}

/** Who is signed in; nothing if nobody is. */
export async function who(): Promise<Who | undefined> {
  const answer = await fetch('/whoami');
  if (answer.status === 401) return undefined;
  if (!answer.ok) throw await refused(answer);
  return (await answer.json()) as Who;
}

/** Makes a session of the secret of a link. */
export async function signIn(secret: string): Promise<void> {
  const answer = await fetch('/console/session', {
    method: 'POST',
    headers: { ...OURS, Authorization: `Bearer ${secret}` },
  });
  if (!answer.ok) throw await refused(answer);
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await fetch('/console/session', { method: 'DELETE', headers: OURS });
}

async function refused(answer: Response): Promise<Refused> {
  let detail = answer.statusText;
  let faults: Fault[] = [];
  try {
    const told = await answer.json();
    faults = told['ietf-restconf:errors']?.error ?? [];
    detail = faults.map((it) => `${it['error-tag']}: ${it['error-message'] ?? ''}`).join('; ') || told.detail || detail;
  } catch {
    // What is no JSON comes from a proxy, and its status is all that is known.
  }
  return new Refused(answer.status, detail, faults);
}
