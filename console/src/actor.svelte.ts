// Who is signed in, and what he may do as far as that is known: what he may not is not offered.
import type { Actor } from './acting';
import { operations, who, type Who } from './restconf';

/** Whether somebody is signed in; `unknown` while the platform cannot say. */
export type Standing = 'unknown' | 'in' | 'out';

class Session {
  standing = $state<Standing>('unknown');
  user = $state.raw<Who>();
  actor = $state.raw<Actor>({ name: '', isAdministrator: false, operations: new Set() });

  /** Asks who is signed in. What fails says nothing of it, and is thrown. */
  async ask(): Promise<void> {
    const user = await who();
    if (user) {
      const may = await operations();
      this.actor = { name: user.name, isAdministrator: user.groups.includes('admin'), operations: may };
    }
    this.user = user;
    this.standing = user ? 'in' : 'out';
  }

  may(rpc: string): boolean {
    return this.actor.operations.has(rpc);
  }
}

export const session = new Session();
