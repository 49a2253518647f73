import {
  type Artifact,
  type ArtifactStore,
  isCapstanError,
  type PendingCall,
  type RunEvent,
  type RunResult,
} from '@capstan/core'
import { readBytes, toBase64, toJsonText } from '@capstan/core/internal'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { defaultInlineBytes, type McpCall, type McpServerOptions, reportError } from './options.js'
import { type CallerArtifacts, toUri } from './resources.js'
import type { ServedTool, ToolOutput } from './tools.js'

/** A call and the objects that answering it needs. */
interface CallContext {
  readonly call: McpCall
  readonly servedTool: ServedTool
  readonly options: McpServerOptions
  readonly artifacts: CallerArtifacts
  readonly signal: AbortSignal
  /** Absent if the client did not request progress. */
  readonly progress?: (progress: Progress) => void
}

/** Answers one call with a run of its own. Never throws: failures become error results. */
export async function callServedTool(
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<CallToolResult> {
  const { call, servedTool, options, artifacts } = context
  try {
    const store = artifacts.of(servedTool.artifacts, call.caller)
    const run = await startRun(args, context, store)
    const ended = await run.result
    const { inlineBytes = defaultInlineBytes } = options
    return await toCallResult(servedTool.toOutput(ended), ended, { artifacts: store, inlineBytes })
  } catch (error) {
    reportError(error, options)
    return { content: [{ type: 'text', text: failureText(error, call) }], isError: true }
  }
}

/**
 * Returns the error text for the client. Only errors in its arguments are detailed: other messages may
 * contain addresses.
 */
function failureText(error: unknown, { name }: McpCall): string {
  if (!isCapstanError(error)) return `"${name}" failed.`
  return error.code === 'invalid_arguments' && !error.state
    ? error.message
    : `"${name}" failed (${error.code}).`
}

async function startRun(
  args: Readonly<Record<string, unknown>>,
  { call, servedTool, options, artifacts, signal, progress }: CallContext,
  store: ArtifactStore,
) {
  const extra = (await options.runOptions?.(call)) ?? {}
  const run = servedTool.start(args, {
    ...extra,
    artifacts: store,
    signal,
    wait: true,
    // The run has listeners alone.
    keepEvents: 0,
  } as never)
  run.on('artifact-stored', ({ artifact }) => artifacts.stored(artifact, call.caller))
  const decide = async (pending: PendingCall) => {
    try {
      await run.decide(pending.callId, (await options.decide?.(pending, call)) ?? noDecider)
    } catch (error) {
      reportError(error, options)
      await run.decide(pending.callId, failedDecision)
    }
  }
  run.on('call-pending', (pending) => {
    // A decision that arrives after the run has ended is ignored.
    decide(pending).catch(() => {})
  })
  if (progress) {
    const toOutput = (event: RunEvent) => {
      const update = toProgress(event, call.name)
      if (update) progress(update)
    }
    run.on('tool-progress', toOutput).on('tool-start', toOutput).on('tool-end', toOutput)
  }
  return run
}

const noDecider = { type: 'deny', reason: 'It needs approval, and no person can be asked here.' } as const
const failedDecision = { type: 'deny', reason: 'The approval failed.' } as const

/** A progress message for the client. */
export interface Progress {
  readonly message: string
  readonly progress?: number
  readonly total?: number
}

/**
 * Converts an event of a call's run to progress. `own` is the tool's own name, which is left out of messages.
 */
export function toProgress(event: RunEvent, own: string): Progress | undefined {
  if (event.type === 'tool-progress') return ofValue(event.value, event.name === own ? '' : `${event.name}: `)
  if ((event.type !== 'tool-start' && event.type !== 'tool-end') || event.name === own) return undefined
  const how = event.type === 'tool-start' ? 'started' : event.status === 'ok' ? 'done' : event.status
  return { message: `${event.name}: ${how}` }
}

/** Uses the value itself if it has the protocol's progress fields. */
function ofValue(value: unknown, by: string): Progress {
  const { progress, total, message } = Object(value) as Readonly<Record<string, unknown>>
  const shown = typeof progress === 'number' ? (message ?? progress) : value
  const text = typeof shown === 'object' ? toJsonText(shown) : String(shown)
  return {
    message: `${by}${text}`.slice(0, maxMessage).toWellFormed(),
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
  }
}

const maxMessage = 1000

interface ArtifactOutput {
  readonly artifacts: ArtifactStore
  readonly inlineBytes: number
}

/** Converts a run's result: text, structured content, and its artifacts. */
async function toCallResult(
  { text, isError, value, isDeclared }: ToolOutput,
  { artifacts }: Pick<RunResult, 'artifacts'>,
  output: ArtifactOutput,
): Promise<CallToolResult> {
  const made = await Promise.all(artifacts.map((artifact) => toBlock(artifact, output)))
  // A text for the model may say less than the schema promises.
  const data = isDeclared ? (value as CallToolResult['structuredContent']) : dataOf(text, value)
  const structuredContent = isError ? undefined : data
  return {
    content: [{ type: 'text', text }, ...made],
    ...(structuredContent ? { structuredContent } : {}),
    ...(isError ? { isError } : {}),
  }
}

async function toBlock(
  artifact: Artifact,
  { artifacts, inlineBytes }: ArtifactOutput,
): Promise<ContentBlock> {
  const { id, kind, size, mediaType: mimeType } = artifact
  if ((kind === 'image' || kind === 'audio') && size <= inlineBytes)
    return { type: kind, data: toBase64(await readBytes(await artifacts.open(id))), mimeType }
  if (kind === 'text' && size <= Math.min(inlineBytes, maxInlineText)) {
    const text = new TextDecoder().decode(await readBytes(await artifacts.open(id)))
    return { type: 'resource', resource: { uri: toUri(id), mimeType, text } }
  }
  return { type: 'resource_link', uri: toUri(id), name: id, mimeType, size }
}

/** Bytes of a text that the model of a client may read at once. */
const maxInlineText = 16 * 1024

/**
 * Returns an object result as structured content, with references to artifacts. A shortened text is not JSON
 * and gives none.
 */
function dataOf(text: string, value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
