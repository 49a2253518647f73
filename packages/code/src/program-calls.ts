import type { AnyToolCall } from '@capstan/core'
import { isRecord, listOf } from '@capstan/core/internal'
import { type ProgramCall, type ProgramResult, runProgramName } from './run-program.js'

/** Returns the calls that a run's programs made, in order. They are not in `result.toolCalls`. */
export function programCalls(result: { readonly toolCalls: readonly AnyToolCall[] }): readonly ProgramCall[] {
  return result.toolCalls.flatMap(({ name, callId, result: own }) => {
    if (name !== runProgramName || !isRecord(own)) return []
    const calls = listOf(own.calls) as ProgramResult['calls']
    return calls.map((call): ProgramCall => ({ via: runProgramName, parentCallId: callId, ...call }))
  })
}
