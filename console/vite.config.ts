// How the console is built: three files with fixed names, which the server embeds, each compressed beside it.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { zh } from './src/language/zh';

let folder = 'dist';

/** As short as it gets, by the size of the blocks that are compressed together. */
function shortest(plain: Buffer): Buffer {
  const all = [5, 6, 7, 8, 9].map((memLevel) => gzipSync(plain, { level: 9, memLevel }));
  return all.reduce((best, it) => (it.length < best.length ? it : best));
}

const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  configResolved(config) {
    folder = config.build.outDir;
  },
  closeBundle() {
    for (const name of readdirSync(folder).filter((name) => !name.endsWith('.gz'))) {
      writeFileSync(`${folder}/${name}.gz`, shortest(readFileSync(`${folder}/${name}`)));
    }
  },
};

/** The keys of the catalogue are built in once: the texts of the other language follow in their order, which a test compares. */
const catalogue: Plugin = {
  name: 'catalogue',
  apply: 'build',
  enforce: 'pre',
  transform(_, file) {
    if (!file.endsWith('/src/language/zh.ts')) return undefined;
    const texts = JSON.stringify(Object.values(zh));
    return `import { en } from './en';\nconst texts = ${texts};\nexport const zh = Object.fromEntries(Object.keys(en).map((key, at) => [key, texts[at]]));`;
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), catalogue, compressed],
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
