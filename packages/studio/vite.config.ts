import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { licenceNotice } from '../../scripts/licences.mjs'

const stepKeys = fileURLToPath(new URL('../core/src/run/step-keys.ts', import.meta.url))

// The page is served for every URL outside the API, so the paths of its files are absolute.
export default defineConfig({
  root: 'src/page',
  base: '/',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  // The page only needs this one file from core. The built entry would add 60 kB.
  resolve: { alias: { '@capstan/core/internal': stepKeys } },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // The server's Content-Security-Policy does not allow data: URLs.
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
