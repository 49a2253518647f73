import { defineConfig } from 'tsup'
import { ownUrl } from '../../scripts/own-url.mjs'

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
  esbuildOptions: ownUrl,
})
