// What a platform says of itself (convoke-usage, convoke-cluster), and the signs by which pages draw it. Pure.
// Read next: commits.ts, times and rates of commits; System.svelte, the page.
import type { Mailbox } from '../agents/agents';
import type { Sign } from '../sign';

export interface Share {
  name: string;
  sessions?: number;
  connections?: number;
  'held-bytes'?: string;
  requests?: number;
  'tasks-open'?: number;
  'data-bytes'?: string;
  refused?: string;
}

export interface Subscription {
  id: string;
  'session-id'?: number;
  user: string;
  stream: string;
  agent?: string;
  'management-system'?: string;
  since?: string;
  sent?: string;
  'lag-events'?: string;
}

/** The rpc that ends a session of the console. */
export const END = 'convoke-usage:end-console-session';

/** A session of the console, in somebody's browser. */
export interface Browser {
  id: string;
  user: string;
  since: string;
  until: string;
  /** `link` or `token` */
  by: string;
}

/** So many commits took no longer than that, of all. */
export interface Bucket {
  /** Microseconds; `UNBOUNDED` for all. */
  'up-to': number;
  commits: string;
}

export interface Store {
  queued?: string;
  changes?: string;
  failed?: string;
  commits?: string;
  'write-time'?: string;
  'commit-time'?: string;
  backend?: string;
  condition?: string;
  size?: string;
  entries?: string;
  'commit-bucket'?: Bucket[];
}

export interface Verification {
  state: string;
  began?: string;
  ended?: string;
  rows?: string;
  entries?: string;
}

export interface Usage {
  'memory-short'?: boolean;
  user?: Share[];
  agent?: Mailbox[];
  subscription?: Subscription[];
  'console-session'?: Browser[];
  store?: Store;
  verification?: Verification;
}

export interface Node {
  name: string;
  address?: string;
  version?: string;
  state: string;
  'rules-agree'?: boolean;
  started?: string;
  'last-seen'?: string;
  subscribers?: string;
  'lag-events'?: string;
  'lag-time'?: string;
}

export interface Cluster {
  node?: Node[];
  lead?: { shards: string; holder: string; epoch?: string; since?: string; until?: string }[];
  takeovers?: string;
}

export const CONDITIONS: Record<string, Sign> = {
  working: { sign: '✓', tone: 'good' },
  full: { sign: '✗', tone: 'bad' },
  locked: { sign: '‖', tone: 'busy' },
  unreachable: { sign: '✗', tone: 'bad' },
  stopped: { sign: '■', tone: 'bad' },
};

export const VERIFICATIONS: Record<string, Sign> = {
  off: { sign: '○', tone: '' },
  running: { sign: '◐', tone: 'busy' },
  sound: { sign: '✓', tone: 'good' },
  damaged: { sign: '✗', tone: 'bad' },
  failed: { sign: '¿', tone: 'bad' },
};

export const NODE_STATES: Record<string, Sign> = {
  leading: { sign: '●', tone: 'good' },
  'standing-by': { sign: '○', tone: '' },
  draining: { sign: '◐', tone: 'busy' },
  gone: { sign: '✗', tone: 'bad' },
};

/** Whether all of it is told: to whom it is not, his own sessions of the console are. */
export function isWhole(usage: Usage | undefined): usage is Usage {
  return usage?.['memory-short'] !== undefined;
}

const held = (it: Share) => Number(it['held-bytes'] ?? 0) + Number(it['data-bytes'] ?? 0);

/** Those to whom most was refused first, then those who hold most. */
export function byWeight(users: Share[]): Share[] {
  return [...users].sort((a, b) => Number(b.refused ?? 0) - Number(a.refused ?? 0) || held(b) - held(a) || a.name.localeCompare(b.name));
}

/** Those that are farthest behind first. */
export function byLag(all: Subscription[]): Subscription[] {
  return [...all].sort((a, b) => Number(b['lag-events'] ?? 0) - Number(a['lag-events'] ?? 0) || Number(a.id) - Number(b.id));
}
