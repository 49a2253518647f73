import type { CallOptions, RunOptions } from '@capstan/core'
import { recordRun } from '@capstan/core/testing'
import { readJson } from '../file/read-json.js'
import type { Line } from '../line/command.js'
import type { runFlags } from './run-flags.js'

/** Options of a run whose types nobody knows here. */
export type AnyOptions = RunOptions<never>

/** What the command line says of a run, besides its input. @throws UsageError */
export function runOptions(
  { context, record }: Line<typeof runFlags>['flags'],
  signal: AbortSignal,
): AnyOptions {
  const given = {
    signal,
    ...(record === undefined ? {} : recordRun(record)),
    ...withContext(context),
  }
  return given as AnyOptions
}

/** The context of a command line as an option of a run or a call. */
export function withContext(context: string | undefined): Pick<CallOptions, 'context'> {
  return context === undefined ? {} : { context: readJson(context, 'The context') }
}
