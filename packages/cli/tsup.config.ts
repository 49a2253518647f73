import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/studio-worker.ts'],
  format: 'esm',
  clean: true,
  target: 'es2022',
  treeshake: true,
})
