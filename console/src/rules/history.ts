// What became of standing rules before the page was opened, as far as the log is kept: replayed as a stream that is left
// when it has been told all (RFC 5277 §2.2). Read next: terms.ts.
import { Frames } from '../frames';
import { ask, PLATFORM, Refused } from '../restconf';
import type { Ruled } from './terms';

/** What is told of a rule, as an event has it. */
export function ruled(id: number, notification: Record<string, unknown>): Ruled | undefined {
  const told = notification['convoke-policy:policy-update'] as Omit<Ruled, 'id' | 'at'> | undefined;
  return told && { ...told, id, at: String(notification['eventTime'] ?? '') };
}

/** What became of rules since then, the last of it. */
export async function history(since: string, most: number, signal: AbortSignal): Promise<Ruled[]> {
  const asked = new URLSearchParams({ 'start-time': since, filter: '/convoke-policy:policy-update' });
  const over = new AbortController();
  const answer = await ask(`${PLATFORM}/streams/NETCONF/json?${asked}`, {
    headers: { Accept: 'text/event-stream' },
    signal: AbortSignal.any([signal, over.signal]),
  });
  if (!answer.ok || !answer.body) throw new Refused(answer.status, answer.statusText);
  const reader = answer.body.getReader();
  try {
    return await replayed(reader, most);
  } finally {
    over.abort();
    reader.cancel().catch(() => {});
  }
}

/** The events of a replay, up to the mark that ends it. */
export async function replayed(reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>, most: number): Promise<Ruled[]> {
  const decoder = new TextDecoder();
  const frames = new Frames();
  let found: Ruled[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
      const told = JSON.parse(frame.data) as Record<string, Record<string, unknown>>;
      const notification = told['ietf-restconf:notification'] ?? {};
      if (notification['nc-notifications:replayComplete']) return found;
      const one = ruled(Number(frame.id), notification);
      if (one) found = [...found, one].slice(-most);
    }
  }
}
