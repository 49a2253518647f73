import { defineConfig } from 'tsup'
import { ownUrl } from '../../scripts/own-url.mjs'

export default defineConfig({
  entry: ['src/index.ts', 'src/worker.ts'],
  format: ['esm', 'cjs'],
  // Programs that only import a different entry can still use this entry's types.
  dts: { banner: "import '@capstan/studio'" },
  clean: true,
  target: 'es2022',
  treeshake: true,
  esbuildOptions: ownUrl,
})
