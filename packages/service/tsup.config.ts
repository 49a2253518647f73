import { defineConfig, type Options } from 'tsup'

// No source maps: they would be more than half of the package, which is to stay small.
const shared: Options = { target: 'es2022', treeshake: true }

// Worker threads start from a file of their own, an ES module also where the service is asked for as CommonJS.
export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      vitest: 'src/vitest.ts',
      cli: 'src/cli.ts',
      worker: 'src/work/worker.ts',
    },
    format: 'esm',
    dts: { entry: ['src/index.ts', 'src/vitest.ts'] },
    clean: true,
  },
  { ...shared, entry: ['src/index.ts', 'src/vitest.ts'], format: 'cjs', dts: true },
])
