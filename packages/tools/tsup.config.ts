import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/search.ts', 'src/skills.ts', 'src/files.ts', 'src/openapi.ts', 'src/frameworks.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  treeshake: true,
})
