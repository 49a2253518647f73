import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  sourcemap: true,
  treeshake: true,
  esbuildOptions(options) {
    // Not reached there: the CommonJS build finds Flite's package from __filename.
    options.logOverride = { 'empty-import-meta': 'silent' }
  },
})
