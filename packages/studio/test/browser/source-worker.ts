import { fileURLToPath } from 'node:url'

/** The studio's worker, started from source. */
export const worker = {
  file: fileURLToPath(new URL('../../../cli/src/studio-worker.ts', import.meta.url)),
  execArgv: ['--conditions=development', '--import=tsx'],
}
