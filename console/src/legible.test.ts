import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curl, ncclient } from './frame';
import { legible, legibleJson, oddly } from './legible';

test('what deceives is the same as elsewhere on the platform', () => {
  const rust = readFileSync('../crates/markup/src/words.rs', 'utf8');
  const body = /pub fn deceives[^]*?\n}/.exec(rust)![0];
  const elsewhere = new Set<number>();
  for (const [, from, until] of body.matchAll(/'\\u\{(\w+)\}'(?:\.\.='\\u\{(\w+)\}')?/g)) {
    for (let at = parseInt(from!, 16); at <= parseInt(until ?? from!, 16); at += 1) elsewhere.add(at);
  }
  expect(elsewhere.size).toBeGreaterThan(3_000);
  for (let at = 0; at <= 0x10ffff; at += 1) {
    if (at >= 0xd800 && at <= 0xdfff) continue;
    const text = String.fromCodePoint(at);
    const isControl = at < 0x20 || (at >= 0x7f && at < 0xa0);
    const isOdd = isControl ? text !== '\n' && text !== '\t' : elsewhere.has(at);
    if ((legible(text) !== text) !== isOdd) expect.fail(`U+${at.toString(16)}`);
  }
});

test('what is written out means the same where it is read by machines', () => {
  expect(legible('pay \u202eyna')).toBe('pay \\u{202e}yna');
  const value = { a: 'x\u202ey', b: '\u{e0001}', c: '\u200d' };
  const json = legibleJson(JSON.stringify(value));
  expect(json).toBe('{"a":"x\\u202ey","b":"\\udb40\\udc01","c":"\u200d"}');
  expect(JSON.parse(json)).toEqual(value);
  const request = { rpc: 'm:r', input: { a: 'x\u202ey' } };
  expect(curl(request, 'http://h')).toContain('"a": "x\\u202ey"');
  expect(ncclient(request, 'ann', 'h')).toContain('<a>x&#x202e;y</a>');
});

test('a value that is not as it looks is written out, and another is nothing', () => {
  expect([oddly(), oddly('a\nb'), oddly('a\u202eb')]).toEqual(['', '', 'a\\u{202e}b']);
});
