// What one management system of the network says: what is documented, its alarms, its counters; and what it lets the
// user do. Read next: network.svelte.ts, all of them together; ../live.ts, by which it is followed.
import { follow, type Condition, type Event } from '../live';
import { ask, operations, read, Refused } from '../restconf';
import { SURROUNDINGS } from '../surroundings';
import { listed, notified, type Alarm, type Listed, type Notified } from './alarms';
import { READ, type Performance, type Told } from './elements';

const ALARM =
  'resource;alarm-type-id;alarm-type-qualifier;is-cleared;last-raised;last-changed;perceived-severity;alarm-text';

export class System {
  condition = $state<Condition>('connecting');
  /** False if the platform has no such system: there is no network. */
  isThere = $state(true);
  /** What went wrong when its state was taken last. */
  trouble = $state('');
  /** True once its state was taken. */
  isKnown = $state(false);
  operations = $state.raw(new Set<string>());
  networks = $state.raw<Told[]>([]);
  performance = $state.raw<Performance>({});
  alarms = new Map<string, Alarm>();
  /** Counts changes of the alarms. */
  version = $state(0);
  readonly root: string;
  /** The one of its networks that it manages; the others it only knows. */
  readonly network: string;
  #counts = 0;

  constructor(
    readonly name: string,
    /** Told when counters were read. */
    readonly counted: () => void,
  ) {
    this.root = `/ems/${name}/restconf`;
    this.network = `network:${name}`;
  }

  async follow(signal: AbortSignal): Promise<void> {
    const asked = await ask(`${this.root}/yang-library-version`).catch(() => undefined);
    // What cannot be asked may be there.
    this.isThere = asked?.status !== 404;
    if (!this.isThere || signal.aborted) return;
    await follow(
      {
        ...SURROUNDINGS,
        root: this.root,
        // Its events are kept in memory, and their numbers are told with them only.
        isFromNow: true,
        snapshot: () =>
          this.#snapshot(signal).catch((error: Error) => {
            this.trouble = error.message;
            throw error;
          }),
        end: async () => undefined,
        apply: (events) => this.#apply(events),
        condition: (now) => (this.condition = now),
      },
      signal,
    );
  }

  async #snapshot(signal: AbortSignal): Promise<undefined> {
    const may = await operations(this.root);
    const alarms = await read<{ alarm?: Listed[] }>(`ietf-alarms:alarms/alarm-list?fields=alarm(${ALARM})`, this.root);
    // Whoever follows since then knows it newer.
    if (signal.aborted) return;
    this.operations = may;
    this.alarms = listed(alarms?.alarm ?? []);
    this.version += 1;
    this.trouble = '';
    try {
      const path = `ietf-network:networks/network=${encodeURIComponent(this.network)}?fields=${READ}`;
      this.networks = (await read<Told[]>(path, this.root)) ?? [];
      await this.#count();
    } catch (error) {
      // What is too big to be told leaves the alarms.
      if (!(error instanceof Refused)) throw error;
      this.trouble = error.message;
    }
    this.isKnown = true;
  }

  async #count(): Promise<void> {
    this.#counts += 1;
    const mine = this.#counts;
    const counted = await read<Performance>('convoke-ems:performance', this.root);
    // What was asked for later is newer.
    if (mine !== this.#counts) return;
    this.performance = counted ?? {};
    this.counted();
  }

  #apply(events: Event[]): void {
    for (const { notification } of events) {
      const alarm = notification['ietf-alarms:alarm-notification'] as Notified | undefined;
      if (alarm) notified(this.alarms, alarm);
      if (notification['convoke-ems:performance-report']) this.#count().catch(() => {});
    }
    this.version += 1;
  }
}
