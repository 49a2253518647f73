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
      // CommonJS cannot wait for the API: it is required there.
      name: 'by-require',
      setup(build) {
        if (build.initialOptions.format !== 'cjs') return
        const path = fileURLToPath(new URL('src/opentelemetry-by-require.ts', import.meta.url))
        build.onResolve({ filter: /\/opentelemetry\.js$/ }, () => ({ path }))
      },
    },
  ],
})
