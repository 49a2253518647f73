import { defineConfig } from 'vite'

// The page is served from the root, for every address that is not of the API: its files have absolute paths.
export default defineConfig({
  root: 'src/page',
  base: '/',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // The Content-Security-Policy of the server allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
