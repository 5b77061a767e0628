// The signs of what can be the matter with an element, on the map and in tables: none is told by its colour alone.
import type { Severity } from './alarms';

export const SIGNS: Record<Severity, string> = { critical: '✖', major: '▲', minor: '▼', warning: '◆', indeterminate: '?' };
export const OUT = '⊗';
export const ASLEEP = '○';
export const AT_WORK = '⚒';
