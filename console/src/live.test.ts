import { afterEach, expect, test, vi } from 'vitest';
import { follow, QUEUE_MAX, SILENCE_MS, type Condition, type Event, type Surroundings } from './live';

const frame = (id: number) => `id: ${id}\ndata: {"ietf-restconf:notification":{"n":${id}}}\n\n`;

/** A platform whose log grows, and whose streams end after so many events each. */
class Platform implements Surroundings {
  root = '/restconf';
  isFromNow = false;
  urls: string[] = [];
  applied: number[] = [];
  asked: string[] = [];
  conditions: Condition[] = [];
  waited: number[] = [];
  snapshots = 0;
  /** How long the log is, as it is told. */
  length: number | undefined;
  /** What is answered when it is asked whether somebody is signed in. */
  isIn = false;
  /** Holds pictures back. */
  isHidden = false;
  readonly over = new AbortController();

  constructor(
    private readonly log: number,
    private readonly answers: ((from: number) => Response)[],
    private readonly begin: number | undefined = 10,
  ) {}

  async snapshot(): Promise<number | undefined> {
    this.snapshots += 1;
    return this.snapshots === 1 ? this.begin : this.log;
  }
  async end(): Promise<number | undefined> {
    return this.length;
  }
  async isSignedIn(): Promise<boolean> {
    return this.isIn;
  }
  apply(events: Event[]): void {
    this.applied.push(...events.map((event) => event.notification['n'] as number));
  }
  condition(now: Condition): void {
    this.conditions.push(now);
  }
  async fetch(url: string, init: RequestInit): Promise<Response> {
    this.urls.push(url);
    const from = (init.headers as Record<string, string>)['Last-Event-ID'] ?? '';
    this.asked.push(from);
    const answer = this.answers.shift();
    if (!answer) {
      this.over.abort();
      throw new Error('over');
    }
    return answer(Number(from));
  }
  frame(then: () => void): void {
    if (!this.isHidden) queueMicrotask(then);
  }
  async wait(ms: number): Promise<void> {
    this.waited.push(ms);
  }
}

/** A stream of the events after a place, which is cut, perhaps in the middle of one. */
const events = (until: number, tail = '') => (from: number) => {
  let text = ': hello\n\n';
  for (let id = from + 1; id <= until; id += 1) text += frame(id);
  return new Response(text + tail);
};

test('a stream that is cut goes on where it was, without a gap or a duplicate', async () => {
  const half = frame(16).slice(0, 12);
  const platform = new Platform(30, [events(15, half), () => new Response(null, { status: 503 }), events(15), events(30)]);
  await follow(platform, platform.over.signal);
  expect(platform.applied).toEqual(Array.from({ length: 20 }, (_, n) => n + 11));
  expect(platform.asked).toEqual(['10', '15', '15', '15', '30']);
  expect(platform.snapshots).toBe(1);
  expect(platform.conditions.slice(0, 3)).toEqual(['connecting', 'live', 'cut']);
});

test('whoever cannot be reached is asked less and less', async () => {
  const down = () => new Response(null, { status: 503 });
  const platform = new Platform(10, Array.from({ length: 8 }, () => down));
  await follow(platform, platform.over.signal);
  expect(platform.waited).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
});

test('what is not drawn is not kept: the state is taken anew', async () => {
  const platform = new Platform(9_999, [events(10 + QUEUE_MAX + 1), events(9_999)]);
  platform.isHidden = true;
  await follow(platform, platform.over.signal);
  expect(platform.applied).toEqual([]);
  expect(platform.snapshots).toBe(2);
  expect(platform.asked[1]).toBe('9999');
});

test('whoever has no place in the log is followed from now, and goes on after what was seen', async () => {
  const platform = new Platform(10, [() => events(5)(3), () => new Response('')], undefined);
  platform.snapshot = async () => void (platform.snapshots += 1);
  await follow(platform, platform.over.signal);
  expect(platform.applied).toEqual([4, 5]);
  expect(platform.asked).toEqual(['', '5', '5']);
  expect(platform.snapshots).toBe(1);

  const silent = new Platform(10, [() => new Response('')]);
  silent.snapshot = async () => void (silent.snapshots += 1);
  await follow(silent, silent.over.signal);
  expect(silent.snapshots).toBe(2);
});

test('of a log that tells no place the state is taken once each stream has begun', async () => {
  const platform = new Platform(10, [() => events(5)(3), () => new Response(null, { status: 503 }), () => events(2)(0)]);
  Object.assign(platform, { root: '/ems/ip/restconf', isFromNow: true });
  const order: string[] = [];
  const { fetch, snapshot, apply } = Platform.prototype;
  platform.fetch = (url, init) => (order.push('stream'), fetch.call(platform, url, init));
  platform.snapshot = () => (order.push('state'), snapshot.call(platform));
  platform.apply = (told) => (order.push('events'), apply.call(platform, told));
  await follow(platform, platform.over.signal);
  // After a cut nothing is resumed: it may be another log, whose numbers begin anew.
  expect(order).toEqual(['stream', 'state', 'events', 'stream', 'stream', 'state', 'events', 'stream']);
  expect(platform.applied).toEqual([4, 5, 1, 2]);
  expect(platform.asked).toEqual(['', '', '', '']);
  expect(new Set(platform.urls)).toEqual(new Set(['/ems/ip/restconf/streams/NETCONF/json']));
});

test('nobody is asked again once the session has ended', async () => {
  const platform = new Platform(10, [events(12), () => new Response(null, { status: 401 }), events(20)]);
  await follow(platform, platform.over.signal);
  expect(platform.applied).toEqual([11, 12]);
  expect(platform.conditions.at(-1)).toBe('signed-out');
  expect(platform.asked.length).toBe(2);
});

test('whoever is still signed in is asked again, and so is whoever cannot say', async () => {
  const refused = () => new Response(null, { status: 401 });
  const platform = new Platform(10, [events(12), refused, refused, events(14)]);
  platform.isSignedIn = async () => {
    if (platform.asked.length > 2) throw new Error('unreachable');
    return true;
  };
  await follow(platform, platform.over.signal);
  expect(platform.applied).toEqual([11, 12, 13, 14]);
  expect(platform.conditions).not.toContain('signed-out');
});

test('of another log nothing is drawn: the state is taken anew', async () => {
  // It is told that it is shorter, and then that an event has a place that was passed.
  const platform = new Platform(5, [events(12), events(13), events(7), () => new Response(frame(6)), events(9)]);
  platform.fetch = async (url, init) => {
    platform.length = platform.asked.length === 1 ? 5 : undefined;
    return Platform.prototype.fetch.call(platform, url, init);
  };
  await follow(platform, platform.over.signal);
  expect(platform.asked).toEqual(['10', '12', '5', '7', '5', '9']);
  expect(platform.snapshots).toBe(3);
  expect(platform.applied).toEqual([11, 12, 6, 7, 6, 7, 8, 9]);
});

test('a page that is looked at again goes on where it was', async () => {
  const platform = new Platform(30, [events(30)]);
  await follow(platform, platform.over.signal, 28);
  expect(platform.snapshots).toBe(0);
  expect(platform.applied).toEqual([29, 30]);
});

afterEach(() => void vi.useRealTimers());

test('what is silent is broken, and asked for again', async () => {
  vi.useFakeTimers();
  let stops = 0;
  /** Says this, and then nothing. */
  const silent = (text: string, init: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        stream.enqueue(new TextEncoder().encode(text));
        init.signal?.addEventListener('abort', () => {
          stops += 1;
          stream.error(new Error('aborted'));
        });
      },
    });
    return new Response(body);
  };
  const platform = new Platform(30, []);
  platform.fetch = async (_, init) => {
    platform.asked.push((init.headers as Record<string, string>)['Last-Event-ID'] ?? '');
    return silent(platform.asked.length === 1 ? frame(11) : ': hello\n\n', init);
  };
  const over = follow(platform, platform.over.signal);
  await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
  expect([platform.asked, stops]).toEqual([['10'], 0]);
  await vi.advanceTimersByTimeAsync(2);
  expect([platform.asked, stops]).toEqual([['10', '11'], 1]);
  platform.over.abort();
  await over;
  expect(platform.conditions.slice(1, 4)).toEqual(['live', 'cut', 'live']);
});
