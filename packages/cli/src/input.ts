import { readFile, rename, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { RunInput, RunState } from '@capstan/core'
import { UsageError } from './exit-codes.js'

/** Returns a run's input: a saved state, the prompt, or text from stdin. @throws UsageError if there is no input */
export async function readRunInput(
  prompt: string | undefined,
  resume: string | undefined,
): Promise<RunInput> {
  if (resume !== undefined && prompt !== undefined)
    throw new UsageError('Use a prompt or --resume, not both.')
  if (resume !== undefined) return readState(resume)
  const text = prompt === undefined || prompt === '-' ? await readStdin(prompt === '-') : prompt
  if (text === undefined || text.trim() === '')
    throw new UsageError('No prompt. Write one after the file, or pipe it in.')
  return text === prompt ? text : text.trim()
}

/**
 * Reads stdin to its end. Returns undefined if stdin is a terminal, unless `isAsked` is set because the user passed
 * `-`.
 */
export async function readStdin(isAsked = false): Promise<string | undefined> {
  if (process.stdin.isTTY && !isAsked) return undefined
  return text(process.stdin)
}

/** Parses JSON from the user. @throws UsageError with a message that starts with `what` */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${what} is not valid JSON: ${reason}.`, { cause })
  }
}

/** Parses a value that the user entered as JSON. Returns the text itself if it is not JSON. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads a saved run state. Resuming the run validates it. @throws UsageError if the file is unreadable or not JSON */
async function readState(file: string): Promise<RunState> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new UsageError(`Cannot read the state ${file}: ${cause.message}`, { cause })
  })
  return parseJson(text, `The state ${file}`) as RunState
}

/** Writes a state atomically. Only the file's owner can read it, because it contains the conversation. */
export async function writeState(file: string, state: RunState): Promise<void> {
  const part = `${file}.${process.pid}.part`
  await writeFile(part, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  await rename(part, file)
}
