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

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), compressed],
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
