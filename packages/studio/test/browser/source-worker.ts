import { fileURLToPath } from 'node:url'

/** The worker of the studio, as it starts from source. */
export const worker = {
  file: fileURLToPath(new URL('../../../cli/src/studio-worker.ts', import.meta.url)),
  execArgv: ['--conditions=development', '--import=tsx'],
}
