import { fileURLToPath, pathToFileURL } from 'node:url'

/** The file that worker threads run, and the arguments Node needs for it. */
export interface WorkerFile {
  readonly filename: string
  readonly execArgv?: string[]
}

/** The worker as built beside this file; from source the TypeScript one. */
export function findWorkerFile(): WorkerFile {
  const isSource = here.endsWith('.ts')
  const filename = fileURLToPath(new URL(isSource ? './worker.ts' : './worker.js', here))
  return isSource ? fromSource(filename) : { filename }
}

/** A TypeScript file as a worker: for work on this repository. */
export function fromSource(filename: string): WorkerFile {
  const loader = new URL('./typescript.mjs', here).href
  return { filename, execArgv: ['--conditions=development', '--import', loader] }
}

// The CommonJS build has only the first of the two, the others only the second.
const here = typeof __filename === 'string' ? pathToFileURL(__filename).href : import.meta.url
