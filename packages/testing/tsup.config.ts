import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/compare.ts', 'src/recording.ts', 'src/vitest.ts'],
  format: ['esm', 'cjs'],
  // A program that imports only a different entry can still name the types of this one.
  dts: { banner: "import '@capstan/testing'" },
  clean: true,
  target: 'es2022',
  sourcemap: true,
  treeshake: true,
  splitting: true,
})
