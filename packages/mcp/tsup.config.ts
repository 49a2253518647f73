import { defineConfig, type Options } from 'tsup'

const shared: Options = { target: 'es2022', treeshake: true, sourcemap: true }

// The command is an ES module even if the package is required as CommonJS.
export default defineConfig([
  {
    ...shared,
    entry: { index: 'src/index.ts', cli: 'src/cli.ts' },
    format: 'esm',
    clean: true,
  },
  { ...shared, entry: ['src/index.ts'], format: 'cjs' },
  // Both kinds of declarations are built together, so that TypeScript reads the program only once.
  { ...shared, entry: ['src/index.ts'], format: ['esm', 'cjs'], dts: { only: true } },
])
