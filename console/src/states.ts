// The states of a task (convoke-negotiation, `task-status`), in the order in which they are offered: how each is drawn,
// and which of them end it. One table for all pages, which a test compares with the module. Pure.

export interface State {
  sign: string;
  /** How it is drawn: as what is well, goes on, or went wrong. */
  tone: '' | 'good' | 'busy' | 'bad';
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
