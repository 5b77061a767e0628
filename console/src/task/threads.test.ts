import { afterEach, expect, test, vi } from 'vitest';
import { awaited, endsBy, EXCHANGES_MAX, Look, overtaken, round, thread, type Exchange, type Negotiation, type Turn } from './threads.svelte';

const turn = (round: number, by: Turn['by']): Turn => ({ round, by, stance: 'offer' });
const of = (state: string, ...turns: Turn[]) => {
  const result: Negotiation = { kind: 'result', state, publisher: 'a', executor: 'b', turn: turns };
  return { rounds: [result] };
};

test('a turn of the publisher is of the round in which he is spoken to, or of the next', () => {
  expect(round(undefined, 'result')).toBeUndefined();
  expect(round({ rounds: [] }, 'result')).toBe(1);
  expect(round(of('open', turn(1, 'executor')), 'result')).toBe(1);
  expect(round(of('open', turn(1, 'executor')), 'fulfillment')).toBe(1);
  expect(round(of('open', turn(1, 'executor'), turn(1, 'publisher'), turn(2, 'executor')), 'result')).toBe(2);
  expect(round(of('open', turn(1, 'executor'), turn(1, 'publisher')), 'result')).toBe(2);
  expect(round(of('expired', turn(3, 'executor')), 'result')).toBe(4);
  expect(round(of('open', turn(1, 'publisher')), 'result', 'executor')).toBe(1);
  expect(round(of('open', turn(1, 'publisher'), turn(1, 'executor')), 'result', 'executor')).toBe(2);
});

test('a refusal ends a negotiation at once, in the last round counted from where it was opened, or not', () => {
  const talk: Negotiation = { kind: 'result', state: 'open', publisher: 'a', executor: 'b', opened: 4, 'round-limit': 3, turn: [turn(4, 'executor'), turn(4, 'publisher'), turn(5, 'executor')] };
  expect(endsBy(talk, 'publisher', 5)).toBe('goes-on');
  const last = { ...talk, turn: [...talk.turn!, turn(5, 'publisher'), turn(6, 'executor')] };
  expect(endsBy(last, 'publisher', 6)).toBe('last');
  expect(endsBy({ ...last, opened: 5 }, 'publisher', 6)).toBe('goes-on');
  expect(endsBy({ ...last, opened: undefined }, 'publisher', 6)).toBe('goes-on');
  // What begins a round does not end it, however many there were.
  expect(endsBy(last, 'publisher', 7)).toBe('goes-on');
  expect(endsBy({ ...talk, kind: 'fulfillment' }, 'executor', 5)).toBe('at-once');
  expect(endsBy({ ...talk, kind: 'feasibility' }, 'publisher', 5)).toBe('at-once');
  expect(endsBy(undefined, 'publisher', 1)).toBe('goes-on');
});

test('what came of a word is over once the other side has offered something else', () => {
  const talk = (...turns: Turn[]): Negotiation => of('open', ...turns).rounds[0]!;
  const first = talk(turn(1, 'executor'), { ...turn(1, 'publisher'), stance: 'refuse' });
  const again = talk(...first.turn!, turn(2, 'executor'));
  expect([awaited(undefined), awaited(first), awaited(again), awaited(again, 'executor'), awaited({ ...again, state: 'agreed' })]).toEqual([undefined, undefined, 2, undefined, undefined]);
  const told = { isDone: true, says: 'refused', round: 1 };
  expect([overtaken(told, undefined), overtaken(told, first), overtaken(told, again)]).toEqual([undefined, undefined, 2]);
  // Of the round that is looked at, of no round, and what was not done.
  for (const it of [{ ...told, round: 2 }, { ...told, round: NaN }, { ...told, round: undefined }, { error: new Error('late'), round: 1 }, { ...told, reply: { verdict: 'refused' } }]) expect(overtaken(it, again)).toBeUndefined();
});

test('of a long talk the last is kept, and it is said how much there was before', async () => {
  const said = Array.from({ length: 2 * EXCHANGES_MAX + 5 }, (_, n): Exchange => ({ id: String(n), sendFrom: 'a', sendTo: 'b' }));
  const page = async (input: object) => {
    const { after, limit } = input as { after?: string; limit: number };
    const from = after ? Number(after) + 1 : 0;
    const context = said.slice(from, from + limit);
    return { context, ...(from + limit < said.length ? { next: context.at(-1)!.id } : {}) };
  };
  const told = await thread(page, 't');
  expect(told.exchanges).toEqual(said.slice(-EXCHANGES_MAX));
  expect(told.leftOut).toBe(EXCHANGES_MAX + 5);
});

afterEach(() => vi.unstubAllGlobals());

test('an answer is shown unless a newer one is, and why there is none', async () => {
  const answers: ((version: string | undefined) => void)[] = [];
  vi.stubGlobal('localStorage', { getItem: () => '' });
  vi.stubGlobal('fetch', () => new Promise((done, fail) => answers.push((version) => (version ? done(Response.json({ task: [{ 'task-version': version }] })) : fail(new Error('gone'))))));
  const look = new Look('t');
  const looks = Array.from({ length: 4 }, () => look.now().catch(() => undefined));
  const shown: (string | undefined)[] = [];
  for (const [place, version] of [[1, '2'], [0, '1'], [2, '3'], [3, undefined]] as const) {
    answers[place]!(version);
    await looks[place];
    shown.push(look.standing?.version);
  }
  expect(shown).toEqual(['2', '2', '3', '3']);
  expect(look.error?.message).toBe('gone');
});
