import { defineConfig } from 'tsup'

export default defineConfig({
  // The thread that holds a model starts from a file of its own.
  entry: { index: 'src/index.ts', 'model-thread': 'src/models/model-thread.ts' },
  format: ['esm', 'cjs'],
  dts: { entry: ['src/index.ts'] },
  clean: true,
  target: 'es2022',
  sourcemap: true,
  treeshake: true,
  // Left to its own package, with its licence; what is optional would be bundled else.
  external: ['wasm-media-encoders'],
  esbuildOptions(options) {
    // Not reached there: the CommonJS build finds Flite's package from __filename.
    options.logOverride = { 'empty-import-meta': 'silent' }
  },
})
