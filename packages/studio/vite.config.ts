import { defineConfig } from 'vite'

export default defineConfig({
  root: 'src/page',
  base: '/',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: { outDir: '../../dist/page', emptyOutDir: true, target: 'es2022', manifest: true },
})
