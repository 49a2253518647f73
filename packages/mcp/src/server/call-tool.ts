import {
  type AnyRunResult,
  type Artifact,
  type ArtifactStore,
  isCapstanError,
  type PendingCall,
  type RunEvent,
} from '@capstan/core'
import { readBytes, toBase64, toJsonText } from '@capstan/core/internal'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { type McpCall, type McpServerOptions, reportError, usualInlineBytes } from './options.js'
import { type CallerArtifacts, toUri } from './resources.js'
import type { Offer, Told } from './tools.js'

/** A call, with what it is answered by. */
interface Answering {
  readonly call: McpCall
  readonly offer: Offer
  readonly options: McpServerOptions
  readonly artifacts: CallerArtifacts
  readonly signal: AbortSignal
  /** Absent when the client did not ask. */
  readonly progress?: (progress: Progress) => void
}

/** Answers one call by a run of its own. Never throws: what goes wrong is told as the protocol has it. */
export async function answerCall(
  args: Readonly<Record<string, unknown>>,
  answering: Answering,
): Promise<CallToolResult> {
  const { call, offer, options, artifacts } = answering
  try {
    const store = artifacts.of(offer.artifacts, call.caller)
    const run = await begin(args, answering, store)
    const ended = await run.result
    const { inlineBytes = usualInlineBytes } = options
    return await toBlocks(offer.tell(ended), ended, { artifacts: store, inlineBytes })
  } catch (error) {
    reportError(error, options)
    return { content: [{ type: 'text', text: tellFailure(error, call) }], isError: true }
  }
}

/** What is wrong with the call in words; what is not is the house's: servers of models tell addresses and more. */
function tellFailure(error: unknown, { name }: McpCall): string {
  if (!isCapstanError(error)) return `"${name}" failed.`
  return error.code === 'invalid_arguments' && !error.state
    ? error.message
    : `"${name}" failed (${error.code}).`
}

async function begin(
  args: Readonly<Record<string, unknown>>,
  { call, offer, options, artifacts, signal, progress }: Answering,
  store: ArtifactStore,
) {
  const given = (await options.runOptions?.(call)) ?? {}
  const run = offer.start(args, { ...given, artifacts: store, signal, wait: true, detach: true } as never)
  run.on('artifact-stored', ({ artifact }) => artifacts.stored(artifact, call.caller))
  const decide = async (pending: PendingCall) => {
    try {
      await run.decide(pending.callId, (await options.decide?.(pending, call)) ?? nobody)
    } catch (error) {
      reportError(error, options)
      await run.decide(pending.callId, undecided)
    }
  }
  run.on('call-pending', (pending) => {
    // A decision that comes too late, of a run that has ended, is nothing to report.
    decide(pending).catch(() => {})
  })
  if (progress) {
    const tell = (event: RunEvent) => {
      const said = toProgress(event, call.name)
      if (said) progress(said)
    }
    run.on('tool-progress', tell).on('tool-start', tell).on('tool-end', tell)
  }
  return run
}

const nobody = { type: 'deny', reason: 'It needs a yes, and there is nobody here to ask.' } as const
const undecided = { type: 'deny', reason: 'It could not be decided.' } as const

/** What a client is told while a call goes on. */
export interface Progress {
  readonly message: string
  readonly progress?: number
  readonly total?: number
}

/** What an event of a call's run says of its progress. `own` is the name of the tool when that is all there is in the run. */
export function toProgress(event: RunEvent, own: string): Progress | undefined {
  if (event.type === 'tool-progress') return ofValue(event.value, event.name === own ? '' : `${event.name}: `)
  if ((event.type !== 'tool-start' && event.type !== 'tool-end') || event.name === own) return undefined
  const how = event.type === 'tool-start' ? 'started' : event.status === 'ok' ? 'done' : event.status
  return { message: `${event.name}: ${how}` }
}

/** What has the form of a progress of the protocol is one. */
function ofValue(value: unknown, by: string): Progress {
  const { progress, total, message } = Object(value) as Readonly<Record<string, unknown>>
  const said = typeof progress === 'number' ? (message ?? progress) : value
  const text = typeof said === 'object' ? toJsonText(said) : String(said)
  return {
    message: `${by}${text}`.slice(0, maxMessage).toWellFormed(),
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
  }
}

const maxMessage = 1000

/** How artifacts go out. */
interface Outlet {
  readonly artifacts: ArtifactStore
  readonly inlineBytes: number
}

/** What a run came to, as the protocol has it: words, data, and what it made. */
async function toBlocks(
  { text, isError, value }: Told,
  { artifacts }: Pick<AnyRunResult, 'artifacts'>,
  outlet: Outlet,
): Promise<CallToolResult> {
  const made = await Promise.all(artifacts.map((artifact) => toBlock(artifact, outlet)))
  const structuredContent = isError ? undefined : dataOf(text, value)
  return {
    content: [{ type: 'text', text }, ...made],
    ...(structuredContent ? { structuredContent } : {}),
    ...(isError ? { isError } : {}),
  }
}

async function toBlock(artifact: Artifact, { artifacts, inlineBytes }: Outlet): Promise<ContentBlock> {
  const { id, kind, bytes, mediaType: mimeType } = artifact
  if ((kind === 'image' || kind === 'audio') && bytes <= inlineBytes)
    return { type: kind, data: toBase64(await readBytes(await artifacts.open(id))), mimeType }
  return { type: 'resource_link', uri: toUri(id), name: id, mimeType, size: bytes }
}

/** An object is data as well as words, with references in place of artifacts; not one too long to be told whole. */
function dataOf(text: string, value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
