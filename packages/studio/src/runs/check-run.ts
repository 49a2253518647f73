// Repeats a run from its recording, to find out whether the run still behaves the same.

import { type AnyAgent, isCapstanError, type RunResult } from '@capstan/core'
import { replayRun } from '@capstan/testing/recording'
import type { CheckAnswer, ReplayedOutcome } from '../runtime/protocol.js'
import type { RoundOptions } from '../types.js'
import { toRunOptions } from './round-options.js'

/** A recorded run, with the data that is needed to repeat it. */
export interface Replay {
  /** The recording of each round, in order, with the options that the round was started with. */
  readonly rounds: readonly { readonly recording: string; readonly options: RoundOptions }[]
  readonly agent: AnyAgent
  readonly context: unknown
  readonly tools: 'recorded' | 'run'
}

/**
 * Repeats a run with its recorded replies. Returns the first difference, if there is one.
 * @throws CapstanError `unsupported` or `invalid_request` for a run that cannot be repeated
 */
export async function checkRun(replay: Replay): Promise<CheckAnswer> {
  try {
    await repeat(replay)
    return { same: true }
  } catch (error) {
    if (!isCapstanError(error) || error.code === 'unsupported' || error.code === 'invalid_request')
      throw error
    const { message, evidence = {} } = error
    const { at, expected, seen } = evidence
    return {
      same: false,
      message: withoutPath(message),
      ...(typeof at === 'string' ? { at } : {}),
      ...(expected === undefined ? {} : { expected }),
      ...(seen === undefined ? {} : { seen }),
    }
  }
}

/**
 * Repeats a run. Returns the outcome that an exported test should expect.
 * @throws CapstanError if the run differs from its recording
 */
export async function replayOutcome(replay: Replay): Promise<ReplayedOutcome> {
  const results = await repeat(replay)
  const last = results.at(-1)
  const calls = last?.toolCalls ?? []
  const isCounted = ({ status }: (typeof calls)[number]) =>
    status !== 'rejected' && status !== 'denied' && status !== 'not_run'
  return {
    rounds: results.length,
    calls: calls.filter(isCounted).map(({ name }) => name),
    ...(last?.stopReason === undefined ? {} : { stopReason: last.stopReason }),
  }
}

async function repeat({ rounds, agent, context, tools }: Replay): Promise<readonly RunResult[]> {
  const results: RunResult[] = []
  for (const { recording, options } of rounds)
    results.push(...(await replayRun(recording, { agent, context, tools, options: toRunOptions(options) })))
  return results
}

/** Removes a recording's path from a message, because a path in the studio's folder does not help the user. */
function withoutPath(message: string): string {
  return message.replace(/"[^"\n]*recording\.\d+\.jsonl"/g, 'the recording')
}
