import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/compare.ts', 'src/recording.ts', 'src/vitest.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  sourcemap: true,
  treeshake: true,
  splitting: true,
})
