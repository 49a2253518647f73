import type { RunInput } from '@capstan/core'
import { readInput } from '../file/read-input.js'
import { readState } from '../file/state-file.js'
import { UsageError } from '../line/usage-error.js'

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
