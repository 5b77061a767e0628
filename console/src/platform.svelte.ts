// What the console knows of the platform: one snapshot, then what happened since. Bounded in all it keeps.
// Read next: live.ts, by which it follows; restconf.ts, by which it asks.
import { session } from './actor.svelte';
import { PlatformClock } from './clock';
import { legible } from './legible';
import { follow, type Condition, type Event } from './live';
import { newest, type Newest } from './newest';
import { counted, grown, type Sample } from './overview/figures';
import { carryOut, PLATFORM, read, Refused } from './restconf';
import { replay } from './replay';
import { ruled as readRuled } from './rules/history';
import { lately, type Ruled } from './rules/terms';
import { SURROUNDINGS } from './surroundings';

export interface Task {
  'task-id': string;
  'task-sendFrom': string;
  'task-sendTo': string;
  'task-status': string;
  content?: string;
  type?: string;
  /** The task that this one is a part of. */
  'parent-task'?: string;
  'created-at'?: string;
  'changed-at'?: string;
  progress?: number;
  awaits?: string;
  deadline?: string;
  'expected-response'?: string;
  /** A decision is agreed on before its result. */
  'fulfillment-required'?: boolean;
  plan?: string;
  /** What its executor said last, as far as that was told since. */
  said?: string;
}

export interface Skill {
  'skill-name': string;
  'skill-description'?: string;
  'skill-tags'?: string[];
  'input-modes'?: string[];
  'output-modes'?: string[];
}

/** What is registered of an agent, and beside it what the platform observed (convoke-registry, `agent`). */
export interface Agent {
  name: string;
  alias?: string;
  description?: string;
  type?: string;
  version?: string;
  provider?: string;
  domain?: string;
  'management-object'?: string;
  capability?: { streaming?: boolean; 'push-notifications'?: boolean; negotiate?: string };
  authentication?: { 'authentication-methods'?: { 'accessinfo-id': string; scheme?: string }[] };
  skills?: { skill?: Skill[] };
  observed?: {
    online?: boolean;
    reach?: string;
    'registered-at'?: string;
    'renewed-at'?: string;
    'lease-until'?: string;
    health?: string;
    'health-note'?: string;
    endpoint?: string;
    layer?: string;
    province?: string;
    'skill-detail'?: { 'skill-name': string; example?: string[]; schema?: string[] }[];
  };
}

export interface Statistics {
  agents: number;
  'agents-online': number;
  tasks: string;
  'tasks-open': string;
  events: string;
}

export interface Happening {
  id: number;
  at: string;
  kind: 'task' | 'agent';
  subject: string;
  /** The new state of a task, or the change of an agent. */
  value: string;
  health?: string;
}

/** The most tasks that are kept, those that changed last. */
export const TASKS_MAX = 20_000;
const HAPPENINGS_MAX = 100;
/** How much is kept of what became of standing rules. */
export const RULED_MAX = 200;
/** Between two looks at the clock of the platform: enough to tell how fast it runs. The third is later, and tells it better. */
const CLOCK_AGAIN_MS = 4_000;
const CLOCK_PATIENCE_MS = 10_000;
/** The span over which the rate is measured. */
const RATE_MS = 10_000;

class Platform {
  condition = $state<Condition>('connecting');
  statistics = $state.raw<Statistics>();
  agents = $state.raw<Agent[]>([]);
  happenings = $state.raw<Happening[]>([]);
  /** The last event that was taken. */
  cursor = $state(0);
  rate = $state(0);
  /** Counts changes of the tasks, which are too many to be watched one by one. */
  version = $state(0);
  /** Counts what was told of schemas. */
  schemaNews = $state(0);
  /** Counts what may have changed what waits for somebody, or standing rules. */
  decisionNews = $state(0);
  /** What became of standing rules since the page was opened, the newest first. */
  ruled = $state.raw<Ruled[]>([]);
  /** Figures of the last minutes, while they were looked at. */
  samples = $state.raw<Sample[]>([]);
  readonly clock = new PlatformClock();
  /** False until the state was taken the first time: what is not there may only not be known. */
  isKnown = $state(false);
  /** Whether it was told what time it is there. */
  isTimed = $state(false);
  /** What time it is at the platform, by the second. */
  now = $state(Date.now());
  /** The names by which agents are called. */
  aliases = $derived(new Map(this.agents.map((agent) => [agent.name, agent.alias ?? agent.name])));
  tasks = new Map<string, Task>();
  /** How many tasks there are beside those, all of which changed before them. */
  leftOut = $state(0);
  /** The place in the log up to which all that is known; none before the state was taken. */
  #place: number | undefined;
  #arrivals: { at: number; count: number }[] = [];
  /** Since when there are tasks of which only their states were told. */
  #lacksSince: string | undefined;
  #isCompleting = false;
  /** True once it was asked what time it is there, whatever came of it. */
  isClockAsked = $state(false);
  #clockSet = 0;
  /** Events up to this one had happened when the stream began. */
  #past = 0;

  /** What somebody is called, legible. */
  called(name: string): string {
    return legible(this.aliases.get(name) ?? name);
  }

  /** Follows the platform until it is aborted; from where it was, if it was followed before. */
  async follow(signal: AbortSignal): Promise<void> {
    const measure = setInterval(() => this.#measure(), 1_000);
    signal.addEventListener('abort', () => clearInterval(measure));
    await follow(
      {
        ...SURROUNDINGS,
        root: PLATFORM,
        snapshot: () => this.#snapshot(),
        end: async () => {
          await this.#count();
          const end = this.statistics && Number(this.statistics.events);
          this.#past = end ?? 0;
          return end;
        },
        apply: (events) => this.apply(events),
        condition: (now) => (this.condition = now),
      },
      signal,
      this.#place,
    );
    clearInterval(measure);
  }

  async #snapshot(): Promise<number | undefined> {
    // The cursor first: what happens while the rest is read is told again, and changes nothing twice.
    await this.#count();
    const cursor = this.statistics && Number(this.statistics.events);
    const { tasks, leftOut } = await this.#readTasks();
    await this.#readAgents();
    this.tasks = tasks;
    this.leftOut = leftOut;
    this.#place = cursor;
    this.isKnown = true;
    this.cursor = cursor ?? 0;
    this.#past = this.cursor;
    this.decisionNews += 1;
    this.happenings = this.happenings.filter((it) => it.id <= this.cursor);
    this.version += 1;
    void this.#setClock();
    return cursor;
  }

  /** Asks what time it is there, three times: so it is known how fast it runs as well, before anything happens. */
  async #setClock(): Promise<void> {
    const last = [...this.tasks.values()].at(-1)?.['changed-at'];
    const mine = (this.#clockSet += 1);
    for (const wait of last ? [0, CLOCK_AGAIN_MS, 2 * CLOCK_AGAIN_MS] : []) {
      await new Promise((done) => setTimeout(done, wait));
      if (mine !== this.#clockSet) return;
      // What nobody is told is asked for: the answer is the mark that ends it.
      const at = await replay(last!, '/convoke-policy:policy-update', () => {}, AbortSignal.timeout(CLOCK_PATIENCE_MS)).catch(() => undefined);
      if (at === undefined) break;
      this.#timed(at, true);
      this.isClockAsked = true;
    }
    this.isClockAsked = true;
  }

  #timed(at: number, isSure = false): void {
    this.clock.take(at, Date.now(), isSure);
    this.isTimed = true;
    this.now = this.clock.at(Date.now());
  }

  /** The tasks that changed last, as far as the user may read them; none if he may not ask for them. */
  async #readTasks(since?: string): Promise<Newest> {
    const rpcs = ['get-tasks', 'count-tasks'].map((name) => `convoke-registry:${name}`);
    if (!rpcs.every((rpc) => session.may(rpc))) return { tasks: new Map(), leftOut: 0 };
    const asked = <T>(rpc: string, input: object) =>
      carryOut<Partial<T>>(`convoke-registry:${rpc}`, input).catch((error): Partial<T> => {
        if (error instanceof Refused && error.status === 403) return {};
        throw error;
      });
    return newest(
      {
        page: (input) => asked<{ task: Task[]; next: string }>('get-tasks', input),
        count: async (input) => Number((await asked<{ count: string }>('count-tasks', input)).count ?? 0),
      },
      TASKS_MAX,
      since,
    );
  }

  async #count(): Promise<void> {
    this.statistics = await read<Statistics>('convoke-registry:registry/statistics');
  }

  async #readAgents(): Promise<void> {
    const registry = await read<{ agent?: Agent[] }>('convoke-registry:registry?fields=agent');
    this.agents = registry?.agent ?? [];
  }

  apply(events: Event[]): void {
    const happenings: Happening[] = [];
    const ruled: Ruled[] = [];
    let isOfAgents = false;
    for (const { id, notification } of events) {
      const at = String(notification['eventTime'] ?? '');
      const task = notification['irtf-agent:condition-notifications'] as Told | undefined;
      const agent = notification['convoke-registry:agent-update'] as AgentTold | undefined;
      if (notification['convoke-schema:schema-update']) [this.schemaNews, this.decisionNews] = [this.schemaNews + 1, this.decisionNews + 1];
      if (notification['convoke-negotiation:negotiation-update']) this.decisionNews += 1;
      const rule = readRuled(id, notification);
      if (rule) {
        ruled.push(rule);
        this.decisionNews += 1;
      }
      if (task) happenings.push(...this.#taskChanged(id, at, task));
      if (agent) {
        isOfAgents = true;
        happenings.push({ id, at, kind: 'agent', subject: agent.name, value: agent.change, health: agent.health });
      }
    }
    const last = events[events.length - 1];
    // What is told late tells nothing of what time it is.
    if (last && last.id > this.#past) this.#timed(Date.parse(String(last.notification['eventTime'])));
    if (ruled.length > 0) this.ruled = lately(ruled, this.ruled, RULED_MAX);
    this.cursor = last?.id ?? this.cursor;
    this.#place = this.cursor;
    this.version += 1;
    this.#arrivals.push({ at: performance.now(), count: events.length });
    this.happenings = [...happenings.reverse(), ...this.happenings].slice(0, HAPPENINGS_MAX);
    if (isOfAgents) this.#readAgents().catch(() => {});
  }

  #taskChanged(id: number, at: string, told: Told): Happening[] {
    const state = told['input-required']?.[0];
    const name = told['task-id'];
    if (!state || !name) return [];
    const known = this.tasks.get(name);
    const task: Task = {
      ...(known ?? {
        'task-id': name,
        // What is told goes back to whoever assigned the task.
        'task-sendFrom': told['task-sendTo'],
        'task-sendTo': told['task-sendFrom'],
        'created-at': state['start-time'],
      }),
      'task-status': state.status,
      'changed-at': at,
      progress: told['convoke-negotiation:progress'] ?? known?.progress,
      awaits: told['convoke-negotiation:awaits'],
      said: state.required ?? known?.said,
    };
    if (task.awaits || known?.awaits || !(known || state.status === 'created')) this.decisionNews += 1;
    if (!known) this.#lacksSince ??= at;
    // Anew at the end: the first are those that changed least lately.
    this.tasks.delete(name);
    this.tasks.set(name, task);
    for (const oldest of this.tasks.keys()) {
      if (this.tasks.size <= TASKS_MAX) break;
      this.tasks.delete(oldest);
      this.leftOut += 1;
    }
    if (known?.['task-status'] === state.status) return [];
    return [{ id, at, kind: 'task', subject: name, value: state.status }];
  }

  #measure(): void {
    const since = performance.now() - RATE_MS;
    this.#arrivals = this.#arrivals.filter((arrival) => arrival.at > since);
    const count = this.#arrivals.reduce((sum, arrival) => sum + arrival.count, 0);
    this.rate = (count * 1_000) / RATE_MS;
    this.now = this.clock.at(Date.now());
    if (this.condition === 'live') {
      this.samples = grown(this.samples, { at: Math.round(Date.now() / 1_000), rate: this.rate, states: counted(this.tasks.values()) });
    }
    if (count > 0) this.#count().catch(() => {});
    this.#complete().catch(() => {});
  }

  /** Asks for all else of tasks that were told of: what is told has neither their words nor their wholes. */
  async #complete(): Promise<void> {
    const since = this.#lacksSince;
    if (!since || this.#isCompleting) return;
    this.#lacksSince = undefined;
    this.#isCompleting = true;
    try {
      for (const [name, told] of (await this.#readTasks(since)).tasks) {
        const known = this.tasks.get(name);
        // What was told meanwhile is newer in all that is told.
        if (known) this.tasks.set(name, { ...told, ...known });
      }
      this.version += 1;
    } finally {
      this.#isCompleting = false;
    }
  }
}

interface Told {
  'task-id'?: string;
  'task-sendFrom': string;
  'task-sendTo': string;
  'input-required'?: { status: string; 'start-time'?: string; required?: string }[];
  'convoke-negotiation:progress'?: number;
  'convoke-negotiation:awaits'?: string;
}

interface AgentTold {
  name: string;
  change: string;
  health?: string;
}

export const platform = new Platform();
