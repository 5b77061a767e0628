import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from '../language/en';
import { MODES, reading } from './reading';

const source = (path: string) => readFileSync(`${import.meta.dirname}/../../../crates/${path}`, 'utf8').split('#[cfg(test)]')[0]!;
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1]!);

test('all that equipment tells when it is measured has words', () => {
  const lab = source('showcase/lab/src/management/instruments.rs');
  const names = {
    network: all(source('showcase/network/src/probe.rs'), /"([a-z_]+)"/g),
    lab: [...all(lab, /(?:read|from\(\[|insert)\(+"([a-z_]+)"/g), ...all(lab, /\("([a-z]+_[a-z]+)", /g), ...['ospfd', 'zebra', 'bfdd'].map((it) => `${it}_answers`)],
    interfaces: all(source('bindings/src/netconf/manager/interfaces.rs'), /format!\("([a-z_]+\{letter\}[a-z_]*)"/g).map((it) => it.replace('{letter}', 'a')),
  };
  expect([new Set(names.network).size, new Set(names.lab).size, names.interfaces.length]).toEqual([31, 16, 3]);
  const told = new Set(Object.values(names).flat().map((name) => reading(name).what));
  for (const what of told) expect(Object.hasOwn(en, `reading.${what}`), what).toBe(true);
  const words = Object.keys(en).flatMap((key) => (key.startsWith('reading.') ? [key.slice('reading.'.length)] : []));
  expect(words.filter((it) => !told.has(it))).toEqual([]);
});

test('a name has an end and a unit in it, and tells what is yes or no', () => {
  expect(reading('light_a_dbm')).toEqual({ what: 'light', end: 'A', unit: 'dBm', isYesNo: false });
  expect(reading('oper_up_b')).toEqual({ what: 'oper_up', end: 'B', unit: '', isYesNo: true });
  expect(reading('light_backhaul_dbm')).toMatchObject({ what: 'light_backhaul', end: '', unit: 'dBm' });
  expect(reading('heartbeat_age_s')).toMatchObject({ what: 'heartbeat_age', unit: 's' });
  expect(reading('vswr')).toMatchObject({ what: 'vswr', unit: '', isYesNo: false });
  expect(reading('s')).toMatchObject({ what: 's', unit: '' });
  expect(reading('console_answers').isYesNo && reading('carrier_a').isYesNo && reading('carrier_on').isYesNo).toBe(true);
});

test('the modes of a cell are those of the platform, in its order', () => {
  const saving = source('domain/src/telemetry.rs').split('pub enum Saving {')[1]!.split('\n}')[0]!;
  expect(MODES).toEqual(all(saving, /^ {4}([A-Z]\w+),/gm).map((it) => it.replace(/\B[A-Z]/g, (one) => `-${one}`).toLowerCase()));
});
