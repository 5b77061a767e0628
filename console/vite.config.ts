// How the console is built: three files with fixed names, which the server embeds, each compressed beside it.
import { gzipAsync } from '@gfx/zopfli';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { en } from './src/language/en.ts';
import { zh } from './src/language/zh.ts';

let folder = 'dist';

const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  configResolved(config) {
    folder = config.build.outDir;
  },
  // By Zopfli, which takes seconds and is a twenty-fifth smaller than what zlib makes.
  async closeBundle() {
    for (const name of readdirSync(folder).filter((name) => !name.endsWith('.gz'))) {
      writeFileSync(`${folder}/${name}.gz`, await gzipAsync(readFileSync(`${folder}/${name}`), { numiterations: 15 }));
    }
  },
};

/** The names of words are loaded once: those of the other language stand in the same order. */
const named: Plugin = {
  name: 'named',
  apply: 'build',
  load(id) {
    if (!id.endsWith('/language/zh.ts')) return null;
    const words = Object.keys(en).map((key) => zh[key as keyof typeof en]);
    return `import { en } from './en'; const words = ${JSON.stringify(words)}; export const zh = Object.fromEntries(Object.keys(en).map((key, place) => [key, words[place]]));`;
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), named, compressed],
  // A busy machine fails no test.
  test: { testTimeout: 60_000 },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: 'console.js',
        assetFileNames: 'console[extname]',
        codeSplitting: false,
      },
    },
  },
});
