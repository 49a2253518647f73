import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts', 'src/postgres.ts', 'src/sqlite.ts', 'src/d1.ts'],
  format: ['esm', 'cjs'],
  // A program that imports only a different entry can still name the types of this one.
  dts: { banner: "import '@capstan/stores'" },
  clean: true,
  target: 'es2022',
  treeshake: true,
})
