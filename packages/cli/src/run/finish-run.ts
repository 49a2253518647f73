import type { AnyAgent, AnyRunResult, RunState } from '@capstan/core'
import { saveArtifacts } from '../file/save-artifacts.js'
import { writeState } from '../file/state-file.js'
import type { Screen } from '../screen/screen.js'
import { outcomeLines } from './outcome-lines.js'
import { pendingLines } from './pending-lines.js'

/** What is left of a run, and how it is told. */
export interface Ending {
  readonly file: string
  readonly agent: AnyAgent
  readonly screen: Screen
  readonly flags: {
    readonly agent?: string | undefined
    readonly state?: string | undefined
    readonly out?: string | undefined
    readonly json?: boolean | undefined
  }
}

/** Keeps what the run made, and says how it ended. */
export async function finishRun(result: AnyRunResult, ending: Ending): Promise<void> {
  const { screen, flags, file } = ending
  // An answer in a form may have come as the arguments of a call.
  const { output } = result as { readonly output?: unknown }
  if (output !== undefined && result.text === '' && !flags.json) screen.words(JSON.stringify(output, null, 2))
  await keep(result.state, ending)
  const waiting = result.stopReason === 'pending' ? (result.pending ?? []) : []
  if (waiting.length > 0) for (const line of pendingLines(waiting, { file, ...flags })) screen.line(line)
  if (!flags.json) for (const line of outcomeLines(result)) screen.line(screen.paint('faint', line))
}

/** Keeps what a run had made when it failed. */
export async function keepFailed(error: unknown, ending: Ending): Promise<void> {
  const { state } = Object(error) as { readonly state?: RunState }
  if (state) await keep(state, ending)
}

async function keep(state: RunState, { agent, screen, flags }: Ending): Promise<void> {
  if (flags.state !== undefined) await writeState(flags.state, state)
  const lines = await saveArtifacts(state.artifacts ?? [], agent.artifacts, flags.out)
  if (!flags.json) for (const line of lines) screen.line(line)
}
