import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { en } from './language/en';

vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => {} });
const { language } = await import('./language.svelte');
const { line, why, worded } = await import('./refusal');
const { unfit } = await import('./assign/refusal');

const CRATES = `${import.meta.dirname}/../../crates`;

/** The sources of the platform without their tests. */
function sources(): [path: string, text: string][] {
  const files = readdirSync(CRATES, { recursive: true, encoding: 'utf8' });
  const own = files.filter((name) => name.endsWith('.rs') && !/(^|\/)(tests|examples|benches|target)\/|\/tests\.rs$|testkit|conformance/.test(name));
  return own.map((name) => [name, readFileSync(`${CRATES}/${name}`, 'utf8').split('#[cfg(test)]')[0]!]);
}

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1]!);

/** The part of a source from some text to the line that closes it. */
function part(files: [string, string][], path: string, begin: string): string {
  const text = files.find(([name]) => name === path)?.[1] ?? '';
  const from = text.indexOf(begin);
  expect(from, `${path}: ${begin}`).toBeGreaterThan(-1);
  return text.slice(from, text.indexOf('\n}', from));
}

function codes(): Record<string, string[]> {
  const files = sources();
  const texts = files.map(([, text]) => text);
  const every = (pattern: RegExp) => texts.flatMap((text) => all(text, pattern));
  const kebab = (name: string) => name.replace(/\B[A-Z]/g, (it) => `-${it}`).toLowerCase();
  return {
    tags: all(part(files, 'netconf/src/error.rs', 'texts!(ErrorTag {'), /=> "([a-z-]+)"/g),
    application: every(/\.app_tag\(\s*"([a-z-]+)"/g),
    payloads: all(part(files, 'bindings/src/netconf/error/refused.rs', 'fn of_payload('), /"(kv-[a-z-]+)"/g),
    model: all(part(files, 'yang/src/violation.rs', 'fn classify('), /"([a-z]+-[a-z-]+)"/g),
    violations: all(part(files, 'schema/src/violation.rs', 'pub enum Code {'), /^ {4}([A-Z]\w+),/gm).map(kebab),
    reasons: every(/\b(?:refused|declined)\(\s*"([a-z-]+)",/g),
    written: every(/\breason: "([a-z-]+)"\.(?:to_owned|into)\(/g),
    named: [...all(part(files, 'a2a/src/telecom/negotiation/offer.rs', 'const INFEASIBLE'), /: &str = "([a-z-]+)"/g), 'no-answer', 'kv-payload'],
    ends: ['agreed', 'refused', 'exhausted', 'expired', 'withdrawn'],
  };
}

beforeEach(() => void (language.now = 'en'));

test('every code of the platform has words in both languages', () => {
  const found = codes();
  for (const [kind, least] of Object.entries({ tags: 18, application: 30, payloads: 4, model: 6, violations: 9, reasons: 25, written: 5, named: 4 })) {
    expect(found[kind]!.length, kind).toBeGreaterThanOrEqual(least);
  }
  const mute = Object.entries(found).flatMap(([kind, names]) => names.filter((name) => !worded(name, { message: 'x' })).map((name) => `${kind}: ${name}`));
  expect(mute).toEqual([]);
  for (const now of ['en', 'zh'] as const) {
    language.now = now;
    for (const [kind, names] of Object.entries(found)) {
      for (const name of names) {
        const words = worded(name, { value: 'x', place: 'x', message: 'x', number: '1' });
        expect(words, `${kind}: ${name}`).toBeTruthy();
        if (now === 'zh' && words !== 'x') expect(words, `${kind}: ${name}`).toMatch(/\p{Script=Han}/u);
      }
    }
  }
});

test('words of refusals are those of a code, or of the family of one', () => {
  const names = Object.values(codes()).flat();
  const told = Object.keys(en).flatMap((key) => (key.startsWith('refusal.') ? [key.slice('refusal.'.length)] : []));
  expect(told.filter((it) => !names.some((name) => name === it || name.startsWith(`${it}-`)))).toEqual([]);
});

test('a refusal is told by its code with what it names, and the words of the platform are kept', () => {
  language.now = 'zh';
  const fault = { 'error-tag': 'invalid-value', 'error-app-tag': 'unknown-element', 'error-message': "the network has no element 'router:Paris'" };
  expect(why(fault)).toBe("没有此网元：router:Paris\nunknown-element, invalid-value: the network has no element 'router:Paris'");
  expect(line(fault)).toContain('没有此网元：router:Paris（unknown-element');
  // The tag where the application tag has no words, and the family of one.
  expect(why({ ...fault, 'error-app-tag': 'of-tomorrow' })).toMatch(/^此值不可用\n/);
  expect(why({ 'error-tag': 'operation-failed', 'error-app-tag': 'unknown-thing' })).toMatch(/^此处没有\n/);
  // What nobody has words for is told as it is.
  expect(why({ 'error-tag': 'new-tag', 'error-message': 'so it is' })).toBe('new-tag: so it is');
  language.now = 'en';
  expect(why(fault)).toMatch(/^There is no such element: router:Paris\n/);
});

test('the element, the field and the number are told, but for the field at which it stands', () => {
  const missing = { 'error-tag': 'missing-element', 'error-info': { 'ietf-netconf:bad-element': 'deadline' } };
  expect(why(missing)).toBe('Missing: deadline\nmissing-element');
  expect(why(missing, 'deadline')).toBe('Missing\nmissing-element');
  expect(why({ 'error-tag': 'invalid-value', 'error-path': "/convoke-policy:add-rule/bound[key='a/b']/least" })).toMatch(/^This value is not taken: least\n/);
  // Which value it is, its place says, whatever else is quoted.
  const part = { 'error-tag': 'invalid-value', 'error-path': '/irtf-agent:task-negotiate/convoke-negotiation:parent-task', 'error-message': "'a1' cannot be a part of task 'b2'" };
  expect([why(part), why(part, 'parent-task')].map((it) => it.split('\n')[0])).toEqual(['This value is not taken: parent-task', 'This value is not taken']);
  const fast = { 'error-tag': 'resource-denied', 'error-app-tag': 'write-rate', 'error-message': "'user 7' writes faster than [limits] allows: ask again in 250 ms" };
  expect(why(fast)).toMatch(/^You write too fast: again in 250 ms\.\n/);
  // An element may stand without quotes.
  const unknown = { reason: 'unknown-element', path: 'target', message: 'the inventory has no element router:A-1, and no site' };
  for (const at of ['', 'target']) expect(why(unknown, at)).toMatch(/^There is no such element: router:A-1\n/);
  // An apostrophe begins no value.
  const rule = { 'error-tag': 'data-missing', 'error-message': "no rule of the operator's is called 'small'" };
  expect(why(rule)).toMatch(/: small\n/);
});

test('what is wrong with a payload stands before what is expected', () => {
  language.now = 'zh';
  expect(unfit({ path: '/share', code: 'range', expected: 'number from 0 to 5' })).toBe('超出取值范围。\n应为：number from 0 to 5');
  expect(unfit({ path: '/target', code: 'missing', expected: 'string' })).toMatch(/^缺少\n/);
  expect(unfit({ path: '/share', code: 'of-tomorrow', expected: 'x' })).toBe('应为：x');
});

test('what people and agents say themselves is told once, with the key that they mean', () => {
  expect(why({ reason: 'unmet', message: 'by day, please' })).toBe('by day, please');
  expect(why({ reason: 'infeasible', message: 'no lift' })).toBe('It cannot be done: no lift');
  expect(why({ reason: 'range', path: 'cells/2', message: 'needed: 1 to 9; found: 12' })).toBe('cells/2: Out of range.\nrange: needed: 1 to 9; found: 12');
  expect(why({ reason: 'range', path: 'duration', message: 'x' }, 'duration')).toBe('Out of range.\nrange: x');
  expect(why({ reason: 'expired', message: 'the negotiation ended without an answer' })).toMatch(/^nobody answered in time\n/);
  expect(why({ reason: 'my-own-code', path: 'cells', message: 'so be it' })).toBe('cells: my-own-code: so be it');
});
