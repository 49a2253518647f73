import { type ArtifactStore, isCapstanError, type PendingCall, type RunEvent } from '@capstan/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallerArtifacts } from './caller-artifacts.js'
import type { Offer } from './offer.js'
import { type McpCall, type McpServerOptions, reportError, usualInlineBytes } from './server-options.js'
import { toBlocks } from './to-blocks.js'
import { type Progress, toProgress } from './to-progress.js'

/** A call, with what it is answered by. */
export interface Answering {
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
