import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The window's bundle: plain files next to each other, no inline script, nothing fetched from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'chrome140',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      // zod compiles its parsers where it may, which the page's policy forbids, and finds out by trying. What is said in a module comes
      // too late: schemas of other chunks have been made by then.
      output: { banner: 'globalThis.__zod_globalConfig = { jitless: true };' },
    },
  },
});
