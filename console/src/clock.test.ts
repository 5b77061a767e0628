import { expect, test } from 'vitest';
import { PlatformClock, span, times } from './clock';

test('until something happens it is as late there as here', () => {
  const clock = new PlatformClock();
  expect([clock.isKnown, clock.at(5_000), clock.speed]).toEqual([false, 5_000, 1]);
});

test('a story has its own time, and its own speed', () => {
  const clock = new PlatformClock();
  for (let second = 0; second <= 10; second += 1) clock.take(1_000_000 + second * 60_000, second * 1_000);
  expect(clock.at(10_000)).toBe(1_600_000);
  expect(clock.at(11_000)).toBe(1_660_000);
});

test('what is told late is no other speed, and a log that begins anew is another clock', () => {
  const clock = new PlatformClock();
  clock.take(1_000, 1_000);
  clock.take(6_000, 7_200);
  expect(clock.at(8_200)).toBe(7_000);
  clock.take(5_000, 8_300);
  expect(clock.at(9_200)).toBe(8_000);
  clock.take(100, 9_000, true);
  expect(clock.at(10_000)).toBe(1_100);
  clock.take(-400_000, 10_000);
  expect(clock.at(10_000)).toBe(-400_000);
});

test('what is said for sure twice tells how fast it runs, whatever was told late since', () => {
  const clock = new PlatformClock();
  clock.take(1_000_000, 0, true);
  clock.take(1_240_000, 4_000, true);
  clock.take(1_235_000, 4_100);
  expect(clock.at(5_000)).toBe(1_300_000);
});

test('a span is told in the largest unit that says something, a long one with its rest', () => {
  const said = (ms: number) => span(ms).map((one) => one.join(' ')).join(' ');
  expect([59_999, 60_000, 3_599_000, 3_600_000, 3_660_000, 4_380_000, 86_350_000, 172_800_000, 259_100_000, -5].map(said)).toEqual([
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '1 h 1 min',
    '1 h 13 min',
    '23 h 59 min',
    '2 d',
    '2 d 23 h',
    '0 s',
  ]);
});

test('how fast time runs is told as a round number, once it was watched for a while', () => {
  const told = (speed: number, seconds: number) => {
    const clock = new PlatformClock();
    clock.take(0, 0, true);
    clock.take(speed * seconds * 1_000, seconds * 1_000, true);
    return times(clock);
  };
  expect([told(1.02, 60), told(6.3, 4), told(6.3, 12), told(9.7, 12), told(58.4, 12), told(612, 12)]).toEqual([undefined, undefined, 6, 10, 60, 600]);
});
