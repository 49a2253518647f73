import { readFile, rename, writeFile } from 'node:fs/promises'
import type { RunState } from '@capstan/core'
import { UsageError } from '../line/usage-error.js'
import { readJson } from './read-json.js'

/** The state of a run that was written before; the run itself checks what it says. @throws UsageError when it cannot be read */
export async function readState(file: string): Promise<RunState> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new UsageError(`The state ${file} cannot be read: ${cause.message}`, { cause })
  })
  return readJson(text, `The state ${file}`) as RunState
}

/** Writes a state whole or not at all; it has the conversation, so it is for its user alone. */
export async function writeState(file: string, state: RunState): Promise<void> {
  const part = `${file}.${process.pid}.part`
  await writeFile(part, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  await rename(part, file)
}
