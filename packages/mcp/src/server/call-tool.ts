import {
  type Artifact,
  type ArtifactStore,
  isCapstanError,
  type PendingCall,
  type RunEvent,
  type RunResult,
} from '@capstan/core'
import { readBytes, toBase64, toJsonText } from '@capstan/core/internal'
import type {
  CallToolResult,
  ClientCapabilities,
  ContentBlock,
  InputRequiredResult,
} from '@modelcontextprotocol/server'
import { type AskingRun, type AskingRuns, toDecisions, toInputRequest } from './ask-client.js'
import { callerKey } from './auth.js'
import { defaultInlineBytes, type McpCall, type McpServerOptions, reportError } from './options.js'
import { type CallerArtifacts, toUri } from './resources.js'
import type { ServedTool, ToolOutput } from './tools.js'

/** A call, and what is needed to execute it. */
interface CallContext {
  readonly call: McpCall
  readonly servedTool: ServedTool
  readonly options: McpServerOptions
  readonly artifacts: CallerArtifacts
  /** Runs that are waiting for their clients. */
  readonly asking: AskingRuns<ServedRun>
  /** The capabilities that the client declared. */
  readonly client: ClientCapabilities
  /** The client's answers, and the id of the run that asked for them. Set if the client sends the call again. */
  readonly answered?: { readonly id: string; readonly answers: Readonly<Record<string, unknown>> }
  readonly signal: AbortSignal
  /** Reports progress. Absent if the client did not request it. */
  readonly progress?: (progress: Progress) => void
}

/** A run that serves a call. If the run asks questions, it serves the call over several requests. */
export interface ServedRun extends AskingRun {
  readonly store: ArtifactStore
  progress: CallContext['progress']
}

/**
 * Executes a call in its own run. Returns the result, or questions for the client's user. Never throws: failures become
 * error results.
 */
export async function callServedTool(
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { call, servedTool, options, asking, answered, signal } = context
  try {
    const served = answered ? asking.take(answered.id, call) : await startRun(args, context)
    if (!served) return toErrorResult(`The answer to "${call.name}" came too late. Call it again.`)
    served.progress = context.progress
    const { run, store } = served
    const abort = () => run.abort(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      if (signal.aborted) abort()
      if (answered) await takeAnswers(answered.answers, served, options)
      const ended = await nextOf(served)
      if (!ended) return toInputRequired(served, asking)
      const { inlineBytes = defaultInlineBytes } = options
      return await toCallResult(servedTool.toOutput(ended), ended, { artifacts: store, inlineBytes })
    } finally {
      signal.removeEventListener('abort', abort)
    }
  } catch (error) {
    reportError(error, options)
    return toErrorResult(failureText(error, call))
  }
}

function toErrorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Returns the result of a call's run. Undefined if the run asks a question first. */
function nextOf(served: ServedRun): Promise<RunResult | undefined> {
  const asked = new Promise<undefined>((resolve) => {
    served.onQuestion = () => resolve(undefined)
  })
  return served.questions.size > 0 ? Promise.resolve(undefined) : Promise.race([served.run.result, asked])
}

function toInputRequired(served: ServedRun, asking: AskingRuns<ServedRun>): InputRequiredResult {
  const requests = [...served.questions].map(([callId, { request }]) => [callId, request] as const)
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(requests),
    requestState: asking.keep(served),
  }
}

/** Applies the user's answers. Questions without an answer are asked again. */
async function takeAnswers(
  answers: Readonly<Record<string, unknown>>,
  { run, questions }: ServedRun,
  options: McpServerOptions,
): Promise<void> {
  for (const [callId, { pending }] of [...questions]) {
    if (!Object.hasOwn(answers, callId)) continue
    questions.delete(callId)
    for (const decision of toDecisions(pending, answers[callId])) {
      const failure = await run.decide(callId, decision).then(() => undefined, toError)
      if (!failure) break
      reportError(failure, options)
    }
  }
}

function toError(error: unknown): unknown {
  return error ?? new Error('The decision failed.')
}

/**
 * Returns the error message for the client. Only errors about the arguments contain details, because other messages may
 * contain internal URLs.
 */
function failureText(error: unknown, { name }: McpCall): string {
  if (!isCapstanError(error)) return `"${name}" failed.`
  return error.code === 'invalid_arguments' && !error.state
    ? error.message
    : `"${name}" failed (${error.code}).`
}

async function startRun(
  args: Readonly<Record<string, unknown>>,
  { call, client, servedTool, options, artifacts }: CallContext,
): Promise<ServedRun> {
  const store = artifacts.of(servedTool.artifacts, call.caller)
  const extra = (await options.runOptions?.(call)) ?? {}
  const run = servedTool.start(args, {
    ...extra,
    artifacts: store,
    wait: true,
    // The run's events are only needed by listeners.
    keepEvents: 0,
  } as never)
  const served: ServedRun = {
    ...{ call, run, store },
    questions: new Map(),
    onQuestion() {},
    progress: undefined,
  }
  // The run may fail between two requests, while nothing is waiting for its result.
  run.result.catch(() => {})
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
    // Only ask a caller that has a key. Without one, the caller that sends the answers cannot be recognized.
    const request = callerKey(call.caller) === undefined ? undefined : toInputRequest(pending, client)
    if (!request) {
      // Ignore a decision that arrives after the run has ended.
      decide(pending).catch(() => {})
      return
    }
    served.questions.set(pending.callId, { pending, request })
    served.onQuestion()
  })
  const toOutput = (event: RunEvent) => {
    const update = served.progress && toProgress(event, call.name)
    if (update) served.progress?.(update)
  }
  run.on('tool-progress', toOutput).on('tool-start', toOutput).on('tool-end', toOutput)
  return served
}

/** Text for the model. */
const noDecider = { type: 'deny', reason: 'it needs approval, and nobody can approve it here.' } as const
/** Text for the model. */
const failedDecision = { type: 'deny', reason: 'The approval failed.' } as const

/** A progress message for the client. */
export interface Progress {
  readonly message: string
  readonly progress?: number
  readonly total?: number
}

/**
 * Converts a run event to a progress message. Undefined if the event reports no progress. `own` is the name of the
 * called tool, which messages omit.
 */
export function toProgress(event: RunEvent, own: string): Progress | undefined {
  if (event.type === 'tool-progress') return ofValue(event.value, event.name === own ? '' : `${event.name}: `)
  if ((event.type !== 'tool-start' && event.type !== 'tool-end') || event.name === own) return undefined
  const how = event.type === 'tool-start' ? 'started' : event.status === 'ok' ? 'done' : event.status
  return { message: `${event.name}: ${how}` }
}

/**
 * Converts a value that a tool has reported into a progress message. If the value has a numeric `progress`, uses the
 * value's `progress`, `total` and `message`.
 */
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

/** Converts a run's result: text, structured content, and artifacts. */
async function toCallResult(
  { text, isError, value, isDeclared }: ToolOutput,
  { artifacts }: Pick<RunResult, 'artifacts'>,
  output: ArtifactOutput,
): Promise<CallToolResult> {
  const made = await Promise.all(artifacts.map((artifact) => toBlock(artifact, output)))
  // The text for the model may omit fields that the schema requires.
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

/**
 * Maximum bytes of text to include in a result. Larger text artifacts become links, because the client's model gets the
 * entire result.
 */
const maxInlineText = 16 * 1024

/**
 * Returns an object result as structured content, with references to artifacts. Undefined for shortened text, which is
 * not JSON.
 */
function dataOf(text: string, value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
