import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/openai.ts', 'src/node.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  sourcemap: true,
  treeshake: true,
  // p-queue is ESM only: bundled, so that CommonJS users need no require(esm).
  noExternal: ['p-queue'],
})
