import { CapstanError } from '../errors.js'
import { toLimits } from '../limits.js'
import { isRequest } from '../middleware/show-images.js'
import type { ToolsIdentity } from '../tools/tool.js'
import { callsOf, type Message } from '../types/message.js'
import type { Decisions, Limits, RunState } from '../types/state.js'
import { noUsage } from '../usage.js'
import { checkMessages, closeOpenCalls } from './check-messages.js'
import { readState, resume } from './resume.js'
import { openCalls, type RunContext } from './run-context.js'

/** The input of a run: text, a conversation, or the state of a run to resume. */
export type RunInput = string | readonly Message[] | RunState

interface CreateStateOptions extends ToolsIdentity {
  readonly agent: string
  /** Default: the state's own, else random. */
  readonly runId?: string | undefined
  /** The limits of a new run. */
  readonly limits: Limits
  /** Merged over the limits of a new run, or over those of a resumed state. */
  readonly further?: Limits | undefined
  /** Whether a state may be resumed although the tools have changed since. Default false. */
  readonly allowChangedTools?: boolean | undefined
  /** Decisions on a state's pending calls. Those inside the state do not count. */
  readonly decisions?: Decisions | undefined
}

/**
 * Creates the context of a new or resumed run. @throws CapstanError `invalid_request` for a conversation that a server
 * would reject, `invalid_state` for a state that cannot be resumed, `conflict` for a state of an agent with other
 * tools, or for a decision on a call that is not the one shown
 */
export function createState(input: RunInput, beginning: CreateStateOptions): RunContext {
  const state = isState(input)
    ? resumeState(readState(input, beginning.decisions), beginning)
    : start(input, beginning)
  const callIds = new Set(state.messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
  const clock = { before: state.usage.seconds ?? 0 }
  return { state, records: [], callIds, firstTurn: state.turn, task: firstUserMessage(state), clock }
}

/** Whether an input is the state of a run. */
export function isState(input: RunInput): input is RunState {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function resumeState(
  state: RunState,
  { runId = state.runId, further, decisions = {}, ...beginning }: CreateStateOptions,
): RunState {
  const resumed = resume(state, { ...beginning, runId, limits: toLimits(state.limits, further) })
  return Object.keys(decisions).length > 0 ? { ...resumed, decisions } : resumed
}

function start(
  input: string | readonly Message[],
  { agent, definitionHash, runId = crypto.randomUUID(), limits, further }: CreateStateOptions,
): RunState {
  const messages = typeof input === 'string' ? toConversation(input) : fromConversation(input)
  const state: RunState = {
    schema: 1,
    runId,
    agent,
    definitionHash,
    messages,
    answered: {},
    flags: {},
    pending: [],
    turn: 0,
    usage: noUsage,
    limits: toLimits(limits, further),
  }
  // A conversation that ends in open calls has a reply of the model: its step is resumed.
  return openCalls(state).length > 0 ? { ...state, turn: 1 } : state
}

function toConversation(text: string): Message[] {
  if (text.trim() === '')
    throw new CapstanError('invalid_request', 'The input is empty. Pass a text or messages.')
  return [{ role: 'user', content: text }]
}

function fromConversation(messages: readonly Message[]): Message[] {
  checkMessages(messages)
  return closeOpenCalls(messages)
}

/** Returns the index of the user message that started the run; -1 when there is none. */
export function firstUserMessage({ messages, turn }: RunState): number {
  const answers = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const first = turn === 0 ? messages.length : (answers.at(-turn) ?? answers[0] ?? messages.length)
  return messages.slice(0, first).findLastIndex(isRequest)
}
