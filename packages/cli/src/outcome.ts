import { mkdir } from 'node:fs/promises'
import {
  type AnyAgent,
  type Artifact,
  type RunResult,
  type RunState,
  type StopReason,
  saveArtifact,
  type Usage,
} from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { formatPendingCalls } from './approvals.js'
import { exitCodes } from './exit-codes.js'
import { formatCount, formatInteger, formatSize, sanitizeText } from './format.js'
import { writeState } from './input.js'
import type { Terminal } from './terminal.js'

/** The agent that ran, and the options that say where to save its results. */
interface RunOutput {
  readonly file: string
  readonly agent: AnyAgent
  readonly screen: Terminal
  readonly flags: {
    readonly agent?: string | undefined
    readonly state?: string | undefined
    readonly out?: string | undefined
    readonly json?: boolean | undefined
  }
}

/** Saves a run's state and artifacts where the options say, then prints how the run ended. */
export async function finishRun(result: RunResult, ending: RunOutput): Promise<void> {
  const { screen: terminal, flags, file } = ending
  // Typed output may have arrived as the arguments of a call instead of text.
  const { output } = result as { readonly output?: unknown }
  if (output !== undefined && result.text === '' && !flags.json)
    terminal.writeText(sanitizeText(JSON.stringify(output, null, 2)))
  await saveResults(result.state, ending)
  const waiting = result.stopReason === 'pending' ? (result.pending ?? []) : []
  if (waiting.length > 0)
    for (const line of formatPendingCalls(waiting, { file, ...flags })) terminal.writeLine(line)
  if (!flags.json) for (const line of formatOutcome(result)) terminal.writeLine(terminal.paint('faint', line))
}

export async function saveFailedRun(error: unknown, ending: RunOutput): Promise<void> {
  const { state } = Object(error) as { readonly state?: RunState }
  if (state) await saveResults(state, ending)
}

async function saveResults(state: RunState, { agent, screen: terminal, flags }: RunOutput): Promise<void> {
  if (flags.state !== undefined) await writeState(flags.state, state)
  const lines = await saveArtifacts(state.artifacts ?? [], agent.artifacts, flags.out)
  if (!flags.json) for (const line of lines) terminal.writeLine(line)
}

/** Formats how a run ended: a refusal, undelivered messages and the reason, then the usage. */
export function formatOutcome(result: RunResult): string[] {
  const { stopReason, refusal, incomplete, text, undelivered = [] } = result
  return [
    ...(refusal === undefined ? [] : [`The model refused: ${sanitizeText(refusal)}`]),
    ...(incomplete ? [text === '' ? noAnswer : cutAnswer] : []),
    ...undelivered.map((text) => `Not delivered: ${sanitizeText(text)}`),
    ...(Object.hasOwn(advice, stopReason) ? [advice[stopReason] ?? ''] : []),
    formatUsage(result),
  ]
}

const noAnswer = 'The model returned no text.'
const cutAnswer = 'The reply is incomplete: the connection ended early.'

export function exitCodeOf(stopReason: StopReason): number {
  if (stopReason === 'done') return exitCodes.done
  return stopReason === 'pending' ? exitCodes.pending : exitCodes.stopped
}

const advice: Partial<Record<StopReason, string>> = {
  limit: 'Stopped at a limit.',
  stuck: 'The run made no progress.',
  condition: "The agent's stop condition was met.",
  length: "The reply was cut off at the model's token limit.",
  content_filter: 'The server withheld the reply.',
  aborted: 'Aborted. Completed calls are not undone.',
}

/** Formats a run's stop reason and usage on one line. */
export function formatUsage({ stopReason, limit, stepCount, usage }: RunResult): string {
  const end = limit === undefined ? stopReason : `${stopReason} (${limit})`
  const cost = usage.cost === undefined ? [] : [`cost ${formatCost(usage.cost)}`]
  return `${end}: ${[formatCount(stepCount, 'step'), formatCount(usage.toolCalls, 'call'), formatTokens(usage), ...cost].join(', ')}`
}

function formatTokens({ totalTokens, inputTokens, outputTokens, unreported, requests }: Usage): string {
  if (totalTokens === 0 && unreported > 0) return 'tokens unknown'
  const parts = `${formatCount(totalTokens, 'token')} (${formatInteger(inputTokens)} in, ${formatInteger(outputTokens)} out)`
  return unreported === 0
    ? parts
    : `${parts}, not reported for ${unreported} of ${requests} ${requests === 1 ? 'reply' : 'replies'}`
}

function formatCost(cost: number | 'unknown'): string {
  return cost === 'unknown' ? cost : String(Number(cost.toPrecision(3)))
}

/**
 * Formats one line per artifact. With `folder`, also writes the artifacts there. If an artifact is no longer available,
 * for example because another process created it, its line says so.
 */
export async function saveArtifacts(
  artifacts: readonly Artifact[],
  from: AnyAgent['artifacts'],
  folder: string | undefined,
): Promise<string[]> {
  if (folder === undefined) return artifacts.map(formatArtifact)
  const { pathOf } = folderArtifacts(folder)
  if (artifacts.length > 0) await mkdir(folder, { recursive: true })
  const lines: string[] = []
  for (const artifact of artifacts) {
    const isHere = (await from.stat(artifact.id)) !== undefined
    if (isHere) await saveArtifact(from, artifact.id, pathOf(artifact))
    lines.push(`${formatArtifact(artifact)} ${isHere ? `-> ${pathOf(artifact)}` : 'is no longer available'}`)
  }
  return lines
}

/** Formats an artifact on one line: its id, media type, dimensions or duration, and size. */
export function formatArtifact({ id, mediaType, size, width, height, durationMs }: Artifact): string {
  const facts = [
    ...(width && height ? [`${width} x ${height}`] : []),
    ...(durationMs === undefined ? [] : [`${(durationMs / 1000).toFixed(1)} s`]),
    formatSize(size),
  ]
  return sanitizeText(`${id} (${mediaType}, ${facts.join(', ')})`)
}
