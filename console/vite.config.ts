// How the console is built: three files with fixed names, which the server embeds, each compressed beside it.
import { gzipAsync } from '@gfx/zopfli';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

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

const KEY = /^  '([^']+)': /gm;
const keys = (text: string) => String([...text.matchAll(KEY)].map((found) => found[1]));

/** Keys of words are built once: the Chinese words stand in the order of the English ones. */
const once: Plugin = {
  name: 'once',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/language/zh.ts')) return undefined;
    if (keys(code) !== keys(readFileSync(id.replace(/zh\.ts$/, 'en.ts'), 'utf8'))) throw new Error('en.ts and zh.ts have other keys, or another order');
    const words = code.slice(code.indexOf('{\n') + 1, code.lastIndexOf('}')).replace(KEY, '');
    return `import { en } from './en';\nconst words = [${words}];\nexport const zh = Object.fromEntries(Object.keys(en).map((key, at) => [key, words[at]]));`;
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [once, svelte(), compressed],
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
