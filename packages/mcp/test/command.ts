import { fileURLToPath } from 'node:url'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Options of Node that run TypeScript from its source. */
export const typescript = ['--conditions=development', `--import=${import.meta.resolve('tsx')}`]

/** The command `capstan-mcp`, run from its source, serving a file of this folder. */
export const command = (file = './fixture-tools.ts') => ({
  command: process.execPath,
  args: [...typescript, path('../src/cli.ts'), ...(file === '' ? [] : [path(file)])],
  env: bundled(),
})

/** Clients start a server with few variables: these make it load the bundles of this run (scripts/use-bundles.mjs). */
export function bundled(): Record<string, string> {
  const { NODE_OPTIONS, CAPSTAN_BUNDLES } = process.env
  return NODE_OPTIONS && CAPSTAN_BUNDLES ? { NODE_OPTIONS, CAPSTAN_BUNDLES } : {}
}
