import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  sourcemap: true,
  esbuildPlugins: [
    {
      // CommonJS has no top-level await, so it loads the API with `require`.
      name: 'by-require',
      setup(build) {
        if (build.initialOptions.format !== 'cjs') return
        const path = fileURLToPath(new URL('src/opentelemetry-by-require.ts', import.meta.url))
        build.onResolve({ filter: /\/opentelemetry\.js$/ }, () => ({ path }))
      },
    },
  ],
})
