// Requests to the platform: RESTCONF (RFC 8040) in JSON, in the name of whose session the cookie is.
// It knows no page and no resource. Read next: live.ts, what is followed.

/** One of the errors of an answer (RFC 8040 §7.1). */
export interface Fault {
  'error-tag': string;
  'error-app-tag'?: string;
  'error-path'?: string;
  'error-message'?: string;
  'error-info'?: { 'ietf-netconf:bad-element'?: string };
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
  /** The API resource that offers it, if it is not the platform's own. */
  root?: string;
  /** How long an answer may take, if it takes long. */
  patienceMs?: number;
}

/** The API resource of the platform. The management systems of the network have their own. */
export const PLATFORM = '/restconf';

/**
 * Where the second secret of the session is kept: for pages of this origin, while browsers send the cookie to every
 * server of the host.
 */
export const SESSION = 'convoke-session';
const JSON_TYPE = 'application/yang-data+json';

/** After so long without an answer, a request has failed. */
export const PATIENCE_MS = 30_000;

/** Told when an answer says that nobody is signed in, but where that is what was asked. */
let stranger = () => {};
export function whenStranger(told: () => void): void {
  stranger = told;
}
const ASKED = ['/whoami', '/console/session', `${PLATFORM}/operations`];

/** One at a time: who asks while one is under way waits for that. */
export function shared(look: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () => (underWay ??= look().finally(() => (underWay = undefined)));
}

/** A request as a page of the console makes it. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, 'Console-Request': localStorage.getItem(SESSION) ?? '' };
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), ...init, headers });
  if (answer.status === 401 && !ASKED.includes(url)) stranger();
  return answer;
}

/** The data at a path below `data`; nothing if there is none, or none for this user. */
export async function read<T>(path: string, root = PLATFORM): Promise<T | undefined> {
  const answer = await ask(`${root}/data/${path}`, { headers: { Accept: JSON_TYPE } });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw await refused(answer);
  const data = (await answer.json()) as Record<string, T>;
  return Object.values(data)[0];
}

/** The rpcs that the user may carry out; none where there is no such API resource. */
export async function operations(root = PLATFORM): Promise<Set<string>> {
  const answer = await ask(`${root}/operations`, { headers: { Accept: JSON_TYPE } });
  if (answer.status === 403 || answer.status === 404) return new Set();
  if (!answer.ok) throw await refused(answer);
  const told = (await answer.json()) as Record<string, object>;
  return new Set(Object.keys(told['ietf-restconf:operations'] ?? {}));
}

/** Carries out an rpc, `module:name`; its output. */
export async function carryOut<T>(rpc: string, input: object, root = PLATFORM, patienceMs = PATIENCE_MS, over?: AbortSignal): Promise<T> {
  const patience = AbortSignal.timeout(patienceMs);
  const module = rpc.slice(0, rpc.indexOf(':'));
  const answer = await ask(`${root}/operations/${rpc}`, {
    method: 'POST',
    signal: over ? AbortSignal.any([patience, over]) : patience,
    headers: { Accept: JSON_TYPE, 'Content-Type': JSON_TYPE },
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
  /** Of a session its identifier, by which it is listed and ended. */
  credential: { kind: string; expires: string; id?: string };
}

/** Who is signed in; nothing if nobody is. */
export async function who(): Promise<Who | undefined> {
  const answer = await ask('/whoami');
  if (answer.status === 401) return undefined;
  if (!answer.ok) throw await refused(answer);
  return (await answer.json()) as Who;
}

/** The secret of a link, or of its address; nothing if it is none, as a token is not. */
export function linkSecret(text: string): string | undefined {
  const secret = text.trim().replace(/^.*#sign-in=/, '');
  return /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

/** Makes a session of the secret of a link, or begins one by a token. */
export async function signIn(secret: string): Promise<void> {
  const answer = await ask('/console/session', { method: 'POST', headers: { Authorization: `Bearer ${secret}` } });
  if (!answer.ok) throw await refused(answer);
  const told = (await answer.json()) as { 'console-request': string };
  localStorage.setItem(SESSION, told['console-request']);
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  try {
    await ask('/console/session', { method: 'DELETE' });
  } finally {
    localStorage.removeItem(SESSION);
  }
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
