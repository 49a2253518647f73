import { defineConfig } from 'tsup'
import { ownUrl } from '../../scripts/own-url.mjs'

export default defineConfig({
  // The thread of the engine starts from a file of its own.
  entry: { index: 'src/index.ts', 'engine-thread': 'src/engine/engine-thread.ts' },
  format: ['esm', 'cjs'],
  dts: { entry: ['src/index.ts'] },
  clean: true,
  target: 'es2022',
  treeshake: true,
  esbuildOptions: ownUrl,
})
