import { mkdir } from 'node:fs/promises'
import type { AnyAgent, AnyRunResult, Artifact, RunState, StopReason, Usage } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { pendingLines } from './approvals.js'
import { exits } from './exit-codes.js'
import { count, grouped, plainText, size } from './format.js'
import { writeState } from './input.js'
import type { Screen } from './terminal.js'

/** What is left of a run, and how it is told. */
interface Ending {
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

/** What is said of a run at its end. */
function outcomeLines(result: AnyRunResult): string[] {
  const { stopReason, refusal, incomplete, undelivered = [] } = result
  return [
    ...(refusal === undefined ? [] : [`The model refused: ${plainText(refusal)}`]),
    ...(incomplete ? ['The answer is not whole: its end never came.'] : []),
    ...undelivered.map((text) => `Not read any more: ${plainText(text)}`),
    ...(Object.hasOwn(advice, stopReason) ? [advice[stopReason] ?? ''] : []),
    usageLine(result),
  ]
}

/** What the process ends with. */
export function exitOf(stopReason: StopReason): number {
  if (stopReason === 'done') return exits.done
  return stopReason === 'pending' ? exits.pending : exits.stopped
}

const advice: Partial<Record<StopReason, string>> = {
  limit: 'The run reached a limit of its agent.',
  stuck: 'The run went round in circles.',
  condition: "The agent's own condition to stop was met.",
  length: "The answer was cut: it reached the model's bound on one answer.",
  content_filter: 'The server kept the answer back.',
  aborted: 'The run was stopped. What was done so far is done.',
}

/** How a run ended, and what it took, in one line. */
export function usageLine({ stopReason, limit, steps, usage }: AnyRunResult): string {
  const end = limit === undefined ? stopReason : `${stopReason} (${limit})`
  const cost = usage.cost === undefined ? [] : [`cost ${toCost(usage.cost)}`]
  return `${end}: ${[count(steps, 'step'), count(usage.toolCalls, 'call'), tokens(usage), ...cost].join(', ')}`
}

function tokens({ totalTokens, inputTokens, outputTokens, unreported, requests }: Usage): string {
  if (totalTokens === 0 && unreported > 0) return 'tokens unknown'
  const parts = `${count(totalTokens, 'token')} (${grouped(inputTokens)} in, ${grouped(outputTokens)} out)`
  return unreported === 0 ? parts : `${parts}, not counted in ${unreported} of ${count(requests, 'answer')}`
}

function toCost(cost: number | 'unknown'): string {
  return cost === 'unknown' ? cost : String(Number(cost.toPrecision(3)))
}

/**
 * A line for each artifact, each written to a folder where one is given. Those that another process made may be gone
 * with it.
 */
export async function saveArtifacts(
  artifacts: readonly Artifact[],
  from: AnyAgent['artifacts'],
  folder: string | undefined,
): Promise<string[]> {
  if (folder === undefined) return artifacts.map(artifactLine)
  const { pathOf } = folderArtifacts(folder)
  if (artifacts.length > 0) await mkdir(folder, { recursive: true })
  const lines: string[] = []
  for (const artifact of artifacts) {
    const isHere = (await from.store.stat(artifact.id)) !== undefined
    if (isHere) await from.save(artifact.id, pathOf(artifact))
    lines.push(`${artifactLine(artifact)} ${isHere ? `-> ${pathOf(artifact)}` : 'is not here any more'}`)
  }
  return lines
}

function artifactLine({ id, mediaType, bytes, width, height, durationMs }: Artifact): string {
  const facts = [
    ...(width && height ? [`${width} x ${height}`] : []),
    ...(durationMs === undefined ? [] : [`${(durationMs / 1000).toFixed(1)} s`]),
    size(bytes),
  ]
  return plainText(`${id} (${mediaType}, ${facts.join(', ')})`)
}
