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
  },
});
