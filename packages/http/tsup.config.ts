import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts', 'src/parts.ts'],
  format: ['esm', 'cjs'],
  // Lets a program that imports only a different entry name the types of this one.
  dts: { banner: "import '@capstan/http'" },
  clean: true,
  target: 'es2022',
  treeshake: true,
})
