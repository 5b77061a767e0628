// The states of a task (convoke-negotiation, `task-status`), in the order in which they are offered: how each is drawn,
// and which of them end it. One table for all pages, which a test compares with the module. Pure.
import type { Sign } from './sign';

export interface State extends Sign {
  hasEnded?: true;
}

export const STATES: Record<string, State> = {
  created: { sign: '○', tone: '' },
  processing: { sign: '◐', tone: 'busy' },
  blocked: { sign: '‖', tone: 'busy' },
  'input-required': { sign: '?', tone: 'busy' },
  'auth-required': { sign: '?', tone: 'busy' },
  finished: { sign: '✓', tone: 'good', hasEnded: true },
  failed: { sign: '✗', tone: 'bad', hasEnded: true },
  cancelled: { sign: '■', tone: 'bad', hasEnded: true },
  rejected: { sign: '⊘', tone: 'bad', hasEnded: true },
  unconfirmed: { sign: '¿', tone: 'bad', hasEnded: true },
};

/** Those of a task that is under way. */
export const OPEN = Object.keys(STATES).filter((name) => !STATES[name]!.hasEnded);
