import { fileURLToPath } from 'node:url'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The command `capstan-mcp`, run from its source, serving a file of this folder. */
export const command = (file = './fixture-tools.ts') => ({
  command: process.execPath,
  args: [
    '--conditions=development',
    `--import=${import.meta.resolve('tsx')}`,
    path('../src/cli.ts'),
    ...(file === '' ? [] : [path(file)]),
  ],
})
