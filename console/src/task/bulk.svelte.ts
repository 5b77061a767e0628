// Many rpcs, one for each of what was marked, a few at a time, and what came of them. Read next: many.ts.
import type { Replied } from '../acting';
import { line } from '../refusal';
import { carryOut, type Request } from '../restconf';
import { each } from './many';

const AT_ONCE = 4;

export class Bulk {
  total = $state(0);
  done = $state(0);
  /** What was refused, and why. */
  refused = $state.raw<[name: string, why: string][]>([]);

  /** What `check` answers is why one is not to be sent, or nothing. */
  async run(all: { name: string; request: Request; check?: () => Promise<string> }[]): Promise<void> {
    [this.total, this.done, this.refused] = [all.length, 0, []];
    await each(all, AT_ONCE, async ({ name, request: { rpc, input }, check }) => {
      try {
        const hold = (await check?.()) ?? '';
        if (hold) throw new Error(hold);
        const told = await carryOut<Replied>(rpc, input);
        const reply = told.data?.['convoke-negotiation:reply'];
        if (reply?.verdict === 'refused') throw new Error(reply.refusal?.map(line).join('; '));
      } catch (error) {
        this.refused = [...this.refused, [name, (error as Error).message]];
      }
      this.done += 1;
    });
  }
}
