// Who is signed in, and what he may do as far as that is known: what he may not is not offered.
import type { Actor } from './acting';
import { operations, who, type Who } from './restconf';

class Session {
  user = $state.raw<Who>();
  actor = $state.raw<Actor>({ name: '', isAdministrator: false, operations: new Set() });

  /** Asks who is signed in; nobody if that cannot be said. */
  async ask(): Promise<void> {
    const user = await who().catch(() => undefined);
    if (user) {
      this.actor = {
        name: user.name,
        isAdministrator: user.groups.includes('admin'),
        operations: await operations().catch(() => new Set<string>()),
      };
    }
    this.user = user;
  }

  may(rpc: string): boolean {
    return this.actor.operations.has(rpc);
  }
}

export const session = new Session();
