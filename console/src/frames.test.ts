import { expect, test } from 'vitest';
import { FRAME_MAX, Frames } from './frames';

const TEXT = ': hello\n\nid: 4\ndata: {"a":1}\n\ndata: one\r\ndata:two\r\n\r\nid: 5\nevent: x\ndata: 三\n\n';
const FRAMES = [
  { id: '4', data: '{"a":1}' },
  { id: undefined, data: 'one\ntwo' },
  { id: '5', data: '三' },
];

test('frames are the same however they are cut', () => {
  for (let at = 1; at <= TEXT.length; at += 1) {
    const frames = new Frames();
    const found = [];
    for (let from = 0; from < TEXT.length; from += at) found.push(...frames.take(TEXT.slice(from, from + at)));
    expect(found).toEqual(FRAMES);
  }
});

test('a frame that never ends is an error', () => {
  const endless = () => {
    const frames = new Frames();
    for (let sent = 0; sent <= FRAME_MAX; sent += 1 << 16) frames.take('x'.repeat(1 << 16));
  };
  expect(endless).toThrow(RangeError);
  const many = () => {
    const frames = new Frames();
    for (let sent = 0; sent <= FRAME_MAX + (1 << 16); sent += 1 << 16) frames.take(`data: ${'x'.repeat(1 << 16)}\n`);
  };
  expect(many).toThrow(RangeError);
});
