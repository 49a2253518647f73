import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { licenceNotice } from '../../scripts/licences.mjs'

const stepKeys = fileURLToPath(new URL('../core/src/run/step-keys.ts', import.meta.url))

// The page is served from the root, for every address that is not of the API: its files have absolute paths.
export default defineConfig({
  root: 'src/page',
  base: '/',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  // Of core the page runs this file alone: the built entry would bring 60 kB along.
  resolve: { alias: { '@capstan/core/internal': stepKeys } },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // The Content-Security-Policy of the server allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [
    {
      name: 'third-party-licences',
      generateBundle(_options, bundle) {
        const files = Object.values(bundle).flatMap((one) =>
          one.type === 'chunk' ? Object.keys(one.modules) : [],
        )
        this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.md', source: licenceNotice(files) })
      },
    },
  ],
})
