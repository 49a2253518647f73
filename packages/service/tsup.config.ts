import { defineConfig, type Options } from 'tsup'
import { ownUrl } from '../../scripts/own-url.mjs'

// No source maps: they would be more than half of the package, which is to stay small.
const shared: Options = {
  target: 'es2022',
  treeshake: true,
  esbuildOptions: ownUrl,
}

/** What programs import. */
const imported = ['src/index.ts', 'src/vitest.ts']

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
    clean: true,
  },
  // The entries share chunks. Else each would hold all of the service.
  { ...shared, entry: imported, format: 'cjs', splitting: true },
  // Both kinds of declarations at once: TypeScript reads the program a single time. A program that imports another
  // entry alone can name the types of this one.
  {
    ...shared,
    entry: imported,
    format: ['esm', 'cjs'],
    dts: { only: true, banner: "import '@capstan/service'" },
  },
])
