import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/dbos.ts', 'src/restate.ts', 'src/testing.ts'],
  format: ['esm', 'cjs'],
  // A program that imports only a different entry can still name the types of this one.
  dts: { banner: "import '@capstan/durable'" },
  clean: true,
  target: 'es2022',
  sourcemap: true,
})
