// Words about elements that stand in several places, and about who sees to them.
import { hour, t, time } from '../language.svelte';
import { platform } from '../platform.svelte';
import type { Doing } from './elements';

/** How many cells of a site sleep, or that a cell does. */
export function asleep(doing: Doing): string {
  return doing.cells > 0 ? t('energy.asleep', { asleep: doing.asleep, cells: doing.cells }) : t('energy.sleeps');
}

/** What somebody is called, and that it is an agent if it is one. */
export function called(name: string): string {
  const who = platform.called(name);
  return platform.aliases.has(name) ? t('cause.agent', { who }) : who;
}

const DAY_MS = 86_400_000;

/** A moment: of today its time. */
export function moment(at: string): string {
  const ms = Date.parse(at);
  return Math.abs(platform.now - ms) < DAY_MS ? hour(ms) : time(at);
}
