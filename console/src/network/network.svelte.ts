// What the console knows of the network: the word of its management systems, joined. Followed while its page is open.
import type { Told } from '../acting';
import { open, SEVERITIES, troubles } from './alarms';
import { doing, elements, owner, power, type Element, type Power } from './elements';
import { System } from './system.svelte';

/** Those that manage elements. That of customers has none, and browsers have few connections. */
const SYSTEMS = ['ip', 'wireless'];

/** How many periods are kept. */
const COURSE_MAX = 500;

class Network {
  readonly systems = SYSTEMS.map((name) => new System(name, () => this.#counted()));
  isThere = $derived(this.systems.some((it) => it.isThere));
  isKnown = $derived(this.systems.every((it) => it.isKnown || !it.isThere));
  /** Whether one of them cannot be asked, which is told beside what is known. */
  fails = $derived(this.systems.some((it) => it.trouble !== '' || it.condition === 'cut'));
  elements = $derived(elements(this.systems.flatMap((it) => it.networks)));
  /** All that are known, also those that are over. */
  told = $derived(this.systems.flatMap((it) => (void it.version, [...it.alarms.values()])));
  /** The open ones, the worst first. */
  alarms = $derived(open(this.told));
  troubles = $derived(troubles(this.elements, this.alarms));
  doing = $derived(doing(this.elements, this.systems.map((it) => it.performance)));
  /** What cells drew in each period that ended while somebody looked, and when that was told, in seconds of this browser. */
  course = $state.raw<(Power & { at: number })[]>([]);
  /** As what it was drawn last, as the address says it; nothing before that was chosen. */
  view = '';
  /** What came of measurements, by element: they take minutes, and meanwhile people look elsewhere. */
  measured = $state.raw(new Map<string, Told>());

  follow(signal: AbortSignal): void {
    for (const system of this.systems) system.follow(signal);
  }

  /** The system that manages an element. */
  of(element: Element): System | undefined {
    return this.systems.find((it) => it.network === element.network);
  }

  /** The worse, the less; what is out of service is as bad as can be. */
  rank(id: string): number {
    const trouble = this.troubles.get(id);
    if (!trouble) return SEVERITIES.length;
    return trouble.isOut ? 0 : SEVERITIES.indexOf(trouble.worst);
  }

  /** Whether it is a site that is out of service, or a part of one: what it counted is of before. */
  isOut(id: string): boolean {
    return this.troubles.get(owner(this.elements, id))?.isOut ?? false;
  }

  #counted(): void {
    const drawn = power(this.systems.map((it) => it.performance));
    if (!drawn || drawn.until === this.course.at(-1)?.until) return;
    this.course = [...this.course, { ...drawn, at: Math.round(Date.now() / 1_000) }].slice(-COURSE_MAX);
  }

  tell(id: string, told: Told): void {
    this.measured = new Map(this.measured).set(id, told);
  }
}

export const network = new Network();
