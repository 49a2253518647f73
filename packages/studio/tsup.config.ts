import { defineConfig } from 'tsup'
import { ownUrl } from '../../scripts/own-url.mjs'

export default defineConfig({
  entry: ['src/index.ts', 'src/worker.ts'],
  format: ['esm', 'cjs'],
  // A program that imports another entry alone can name the types of this one.
  dts: { banner: "import '@capstan/studio'" },
  clean: true,
  target: 'es2022',
  treeshake: true,
  esbuildOptions: ownUrl,
})
