// What the console knows of the network: the word of its management systems, joined. Followed while its page is open.
import type { Told } from '../acting';
import { open, SEVERITIES, troubles } from './alarms';
import { doing, elements, type Element } from './elements';
import { System } from './system.svelte';

/** Those that manage elements. That of customers has none, and browsers have few connections. */
const SYSTEMS = ['ip', 'wireless'];

class Network {
  readonly systems = SYSTEMS.map((name) => new System(name));
  isThere = $derived(this.systems.some((it) => it.isThere));
  isKnown = $derived(this.systems.every((it) => it.isKnown || !it.isThere));
  elements = $derived(elements(this.systems.flatMap((it) => it.networks)));
  /** All that are known, also those that are over. */
  told = $derived(this.systems.flatMap((it) => (void it.version, [...it.alarms.values()])));
  /** The open ones, the worst first. */
  alarms = $derived(open(this.told));
  troubles = $derived(troubles(this.elements, this.alarms));
  doing = $derived(doing(this.elements, this.systems.map((it) => it.performance)));
  /** What came of measurements, by element: they take minutes, and meanwhile people look elsewhere. */
  measured = $state.raw(new Map<string, Told>());

  follow(signal: AbortSignal): void {
    for (const system of this.systems) system.follow(signal);
  }

  /** The system that manages an element. */
  of(element: Element): System | undefined {
    return this.systems.find((it) => it.network === element.network);
  }

  /** The worse, the less. */
  rank(id: string): number {
    const trouble = this.troubles.get(id);
    if (!trouble) return SEVERITIES.length + 1;
    return trouble.isOut ? 0 : 1 + SEVERITIES.indexOf(trouble.worst);
  }

  tell(id: string, told: Told): void {
    this.measured = new Map(this.measured).set(id, told);
  }
}

export const network = new Network();
