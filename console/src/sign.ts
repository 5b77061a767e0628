// A state as it is drawn, so that none is told by its colour alone. Pure. Read next: Signed.svelte, which draws it; states.ts.

/** A sign and a tone beside a word. */
export interface Sign {
  sign: string;
  /** As what is well, goes on, or went wrong. */
  tone: '' | 'good' | 'busy' | 'bad';
}

const UNKNOWN: Sign = { sign: '·', tone: '' };

/** The sign of a state; a dot for one that a newer platform has. */
export function sign(of: Record<string, Sign>, value: string): Sign {
  return Object.hasOwn(of, value) ? of[value]! : UNKNOWN;
}
