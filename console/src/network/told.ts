// Words about elements that stand in several places.
import { t } from '../language.svelte';
import type { Doing } from './elements';

/** How many cells of a site sleep, or that a cell does. */
export function asleep(doing: Doing): string {
  return doing.cells > 0 ? t('energy.asleep', { asleep: doing.asleep, cells: doing.cells }) : t('energy.sleeps');
}
