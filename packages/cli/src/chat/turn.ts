import {
  type AnyAgent,
  type Artifact,
  type Decisions,
  isCapstanError,
  type ModelOverride,
  type Run,
  type RunInput,
  type RunOptions,
  type RunResult,
  type RunState,
} from '@capstan/core'
import { pendingCallTree } from '../call-tree.js'
import { formatError, sanitizeText } from '../format.js'
import { formatOutcome } from '../outcome.js'
import { createRunView, type RunView } from '../run-view.js'
import type { Terminal } from '../terminal.js'
import type { ChatSession } from './chat-session.js'
import type { Undecided } from './decide.js'

/** Everything that the turns of a chat share: the agent, its conversation and the output. */
export interface Chat {
  readonly agent: AnyAgent
  readonly session: ChatSession
  readonly terminal: Terminal
  /** The `context` run option, from `--context`. Empty if `--context` was not passed. */
  readonly context: { readonly context?: unknown }
  /** Passed to each run as its `model` option. */
  readonly model: ModelOverride
  /** Whether to print errors with stack traces. */
  readonly debug: boolean
  /** Prints an artifact's link. With `picture` (default), also prints the image if the terminal supports it. */
  showArtifact(artifact: Artifact, as?: 'link' | 'picture'): Promise<void>
}

export interface TurnOptions {
  readonly signal: AbortSignal
  /** Files to attach to the message. */
  readonly attachments?: readonly { readonly path: string }[]
  /** Asks the user to decide on pending calls. If absent, the run stops as pending. */
  decide?(state: RunState): Promise<Decisions | Undecided>
  /** Called with each run that starts, so that the user can send messages to it. */
  onRun?(run: Run<RunResult>): void
  /** Called with each message that was sent too late for the run to deliver it. */
  onUndelivered?(text: string): void
}

/**
 * Replies to a message or resumes an unfinished reply, and prints the reply. Returns when the run has ended, or when
 * the run is pending and the user has made no decision. After an error, the finished parts of the reply stay in the
 * conversation.
 */
export async function runTurn(input: RunInput, chat: Chat, options: TurnOptions): Promise<RunResult> {
  const view = createRunView(chat.terminal, pendingCallTree(isState(input) ? input.pending : []))
  try {
    const result = await runToEnd(input, { chat, options, view }).finally(view.end)
    if (result.stopReason !== 'pending') await chat.session.finish()
    await printResult(result, chat)
    return result
  } catch (error) {
    const isStored = isCapstanError(error) && error.state && error.code !== 'conflict'
    if (isStored && error.state) await chat.session.discard(error.state)
    throw error
  }
}

function isState(input: RunInput): input is RunState {
  return typeof input === 'object' && 'pending' in input
}

interface TurnParts {
  readonly chat: Chat
  readonly options: TurnOptions
  readonly view: RunView
}

async function runToEnd(
  input: RunInput,
  { chat, options: { signal, attachments = [], decide, onRun, onUndelivered }, view }: TurnParts,
): Promise<RunResult> {
  const { agent, session, context, model } = chat
  const own = {
    model,
    session: session.ref,
    artifacts: session.artifacts,
    onCheckpoint: session.save,
    ...context,
  }
  const start = async (from: RunInput, more: Partial<CommonOptions>) => {
    // The type of the agent's context is unknown here.
    const run = agent.stream(from, { signal, ...own, ...more } as RunOptions<never>)
    onRun?.(run)
    const result = await follow(run, chat, view)
    for (const text of result.undelivered ?? []) onUndelivered?.(text)
    return result
  }
  let result = await start(input, { attachments })
  while (result.stopReason === 'pending' && decide) {
    view.pause()
    const decided = await decide(result.state)
    if (decided === 'closed') return result
    // Resuming with an aborted signal ends the run and closes its pending calls.
    const next = decided === 'interrupt' ? { signal: AbortSignal.abort() } : { decisions: decided }
    result = await start(result.state, next)
  }
  return result
}

type CommonOptions = Pick<RunOptions, 'attachments' | 'decisions' | 'signal'>

async function follow(run: Run<RunResult>, chat: Chat, view: RunView): Promise<RunResult> {
  for await (const event of run) {
    view.handle(event)
    if (chat.debug && event.type === 'tool-end' && event.error !== undefined)
      chat.terminal.writeLine(`${event.name}: ${formatError(event.error, true)}`)
  }
  return run.result
}

/** Prints what follows a reply's text: typed output, artifacts, and how the run ended. */
async function printResult(result: RunResult, { terminal, showArtifact }: Chat): Promise<void> {
  const { output } = result as { readonly output?: unknown }
  if (output !== undefined && result.text === '')
    terminal.writeText(sanitizeText(JSON.stringify(output, null, 2)))
  for (const artifact of result.artifacts) await showArtifact(artifact)
  for (const line of formatOutcome({ ...result, undelivered: [] }))
    terminal.writeLine(terminal.paint('faint', line))
}
