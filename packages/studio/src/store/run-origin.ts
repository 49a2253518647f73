// The mark of runs that this studio kept. Runs that came from elsewhere have none.

import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileMode } from './run-folder.js'

const keyFile = 'origin.key'

/** Creates the key of a studio's folder. It stays in the folder, and is in no run. */
export function createOriginKey(folder: string): void {
  const path = join(folder, keyFile)
  if (existsSync(path)) return
  try {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: fileMode, flag: 'wx' })
  } catch (error) {
    // Another process was first.
    if (Object(error).code !== 'EEXIST') throw error
  }
}

/** Returns the mark of a run; undefined without a key. `runFolder`: the folder of the run. */
export function originOf(folder: string, runFolder: string): string | undefined {
  return originsOf(folder)(runFolder)
}

/** Reads the key once. Returns the function that gives the mark of each run. */
export function originsOf(folder: string): (runFolder: string) => string | undefined {
  try {
    const key = readFileSync(join(folder, keyFile), 'utf8')
    return (runFolder) => createHmac('sha256', key).update(basename(runFolder)).digest('hex')
  } catch {
    return () => undefined
  }
}
