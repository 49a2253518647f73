import { readFile, rename, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { RunInput, RunState } from '@capstan/core'
import { UsageError } from './exit-codes.js'

/** What a run begins with: a state to go on from, the words of the command line, or what is piped in. @throws UsageError */
export async function runInput(prompt: string | undefined, resume: string | undefined): Promise<RunInput> {
  if (resume !== undefined && prompt !== undefined)
    throw new UsageError('Give a prompt or --resume: a run that is gone on with has its words already.')
  if (resume !== undefined) return readState(resume)
  const words = prompt === undefined || prompt === '-' ? await readInput(prompt === '-') : prompt
  if (words === undefined || words.trim() === '')
    throw new UsageError('There is no prompt. Write it after the file, or pipe it in.')
  return words === prompt ? words : words.trim()
}

/** What was piped in; undefined when a person sits there. */
export async function readInput(isAsked = false): Promise<string | undefined> {
  if (process.stdin.isTTY && !isAsked) return undefined
  return text(process.stdin)
}

/** A JSON text of the command line as its value. @throws UsageError that names what it was to be */
export function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${what} is no JSON: ${reason}.`, { cause })
  }
}

/** The state of a run that was written before; the run itself checks what it says. @throws UsageError when it cannot be read */
async function readState(file: string): Promise<RunState> {
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
