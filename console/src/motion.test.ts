import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('nothing moves by itself, and where something ever should it does not for who wants less motion', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(svelte|ts)$/.test(name) && !/test/.test(name));
  // Directives of Svelte, pictures that move, what is drawn by a clock of its own, and pages that glide.
  const moving = /\s(transition|animate|in|out):\w|<animate|svelte\/(transition|animate|motion)|\.animate\(|behavior: 'smooth'/;
  expect(files.filter((name) => moving.test(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')))).toEqual([]);
  const sheet = readFileSync(`${import.meta.dirname}/console.css`, 'utf8');
  expect(sheet).toMatch(/@media \(prefers-reduced-motion: reduce\) \{ \* \{ animation: none !important; transition: none !important; \} \}/);
  expect(sheet).not.toMatch(/scroll-behavior/);
});
