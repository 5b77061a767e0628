// What the page of the system knows, read again and again while it is looked at. What commits were like is kept when
// another page is looked at. Read next: usage.ts, commits.ts.
import { Polled } from '../polled.svelte';
import { NO_COURSE, onward, type Course } from './commits';
import type { Cluster, Usage } from './usage';

export interface Session {
  'session-id': number;
  username: string;
  'source-host'?: string;
  'login-time': string;
  'in-rpcs'?: number;
  'out-notifications'?: number;
}

const USAGE_MS = 3_000;
const SELDOM_MS = 5_000;

class System {
  course = $state.raw<Course>(NO_COURSE);
  readonly sessions = new Polled<{ session?: Session[] }>('ietf-netconf-monitoring:netconf-state/sessions');
  readonly cluster = new Polled<Cluster>('convoke-cluster:cluster');
  readonly usage = new Polled<Usage>('convoke-usage:usage', (usage, at) => {
    if (usage?.store) this.course = onward(this.course, { at, store: usage.store });
  });

  /** Keeps all of it known while the component that calls this is there and looked at. */
  follow(): void {
    this.usage.follow(USAGE_MS);
    this.sessions.follow(SELDOM_MS);
    this.cluster.follow(SELDOM_MS);
  }
}

export const system = new System();
