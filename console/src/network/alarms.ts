// The alarms of the network, as lists and notifications tell them (RFC 8632), and which element each concerns. Pure.
// What comes twice, or late, changes nothing: so a list and what was told since it was asked for can be joined.
import { owner, type Element } from './elements';

/** From the worst on. */
export const SEVERITIES = ['critical', 'major', 'minor', 'warning', 'indeterminate'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Alarm {
  /** One alarm is one type at one resource. */
  key: string;
  resource: string;
  type: string;
  severity: Severity;
  text: string;
  /** When it was raised. */
  raised: string;
  /** When it last changed, in milliseconds. */
  changedMs: number;
  isCleared: boolean;
}

interface Names {
  resource: string;
  'alarm-type-id': string;
  'alarm-type-qualifier'?: string;
  'alarm-text'?: string;
  'perceived-severity': string;
}

/** An alarm of a list. */
export interface Listed extends Names {
  'is-cleared': boolean;
  'last-raised'?: string;
  'last-changed': string;
}

/** A notification of one, `cleared` among its severities. */
export interface Notified extends Names {
  time: string;
}

/** The most alarms that are known; beyond that those are forgotten that are over. */
export const ALARMS_MAX = 20_000;

function alarm(told: Names, raised: string, changed: string, isCleared: boolean): Alarm {
  const id = told['alarm-type-id'];
  const severity = SEVERITIES.find((it) => it === told['perceived-severity']) ?? 'indeterminate';
  return {
    key: [told.resource, id, told['alarm-type-qualifier'] ?? ''].join('\n'),
    resource: told.resource,
    type: id.slice(id.indexOf(':') + 1),
    severity,
    text: told['alarm-text'] ?? '',
    raised,
    changedMs: Date.parse(changed),
    isCleared,
  };
}

export function listed(list: Listed[]): Map<string, Alarm> {
  const alarms = list.map((it) => alarm(it, it['last-raised'] ?? it['last-changed'], it['last-changed'], it['is-cleared']));
  return new Map(alarms.map((it) => [it.key, it]));
}

/** Takes in what was told, unless something newer is known. */
export function notified(alarms: Map<string, Alarm>, told: Notified): void {
  const isCleared = told['perceived-severity'] === 'cleared';
  const now = alarm(told, told.time, told.time, isCleared);
  const known = alarms.get(now.key);
  if (known && known.changedMs > now.changedMs) return;
  // What stands goes on since it was raised; of what is over the last severity is kept.
  const goesOn = known && !known.isCleared ? { raised: known.raised } : {};
  alarms.set(now.key, { ...now, ...goesOn, ...(isCleared && known ? { severity: known.severity } : {}) });
  if (alarms.size > ALARMS_MAX) forget(alarms);
}

function forget(alarms: Map<string, Alarm>): void {
  for (const [key, it] of alarms) if (it.isCleared) alarms.delete(key);
}

const rank = (it: Alarm) => SEVERITIES.indexOf(it.severity);
/** Whether it only tells that a site or cell does not serve, and not what is wrong. */
const isOutcome = (it: Alarm) => OUT.includes(it.type) || it.type === 'cell-unavailable';

/** Those that stand, the worst first; of these those that tell what is wrong, and the newest. */
export function open(alarms: Iterable<Alarm>): Alarm[] {
  return [...alarms].filter((it) => !it.isCleared).sort((a, b) => rank(a) - rank(b) || +isOutcome(a) - +isOutcome(b) || b.changedMs - a.changedMs);
}

/** What is wrong with an element, and with what belongs to it. */
export interface Trouble {
  worst: Severity;
  count: number;
  /** True of a site none of whose cells carries traffic, as far as was told. */
  isOut: boolean;
}

/** The alarms by which a site is out of service. */
export const OUT = ['cells-out-of-service', 'site-unreachable'];

/** The elements with alarms; what has an owner on the map counts there as well. `alarms` have the worst first. */
export function troubles(all: Map<string, Element>, alarms: Alarm[]): Map<string, Trouble> {
  const found = new Map<string, Trouble>();
  for (const alarm of alarms) {
    const on = owner(all, alarm.resource);
    for (const id of new Set([alarm.resource, on])) {
      const known = found.get(id) ?? { worst: alarm.severity, count: 0, isOut: false };
      const isOut = known.isOut || (id === alarm.resource && OUT.includes(alarm.type));
      found.set(id, { ...known, count: known.count + 1, isOut });
    }
  }
  return found;
}
