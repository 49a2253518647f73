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

/** What a run starts from: words, a conversation, or the state of a run to go on with. */
export type RunInput = string | readonly Message[] | RunState

interface CreateStateOptions extends ToolsIdentity {
  readonly agent: string
  /** Default: the state's own, else random. */
  readonly runId?: string | undefined
  /** Of a run that begins. */
  readonly limits: Limits
  /** Laid over those, or over those of a state that is gone on with. */
  readonly further?: Limits | undefined
  /** Whether a state may be gone on with though the tools have changed since. Default false. */
  readonly allowChangedTools?: boolean | undefined
  /** Decisions on a state's pending calls. Those inside the state do not count. */
  readonly decisions?: Decisions | undefined
}

/**
 * The walk of a run at its start. @throws CapstanError `invalid_request` for a conversation that no server would
 * take, `invalid_state` for a state that cannot be resumed, `conflict` for one of an agent with other tools, or for a
 * decision on a call that is not the one shown
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
  // A conversation that ends in open calls holds an answer of the model: the turn that is gone on with.
  return openCalls(state).length > 0 ? { ...state, turn: 1 } : state
}

function toConversation(text: string): Message[] {
  if (text.trim() === '')
    throw new CapstanError('invalid_request', 'The input is empty. Say what the agent should do.')
  return [{ role: 'user', content: text }]
}

function fromConversation(messages: readonly Message[]): Message[] {
  checkMessages(messages)
  return closeOpenCalls(messages)
}

/** The place of the words that a run began with: the last of the user before its first answer; -1 where none are. */
export function firstUserMessage({ messages, turn }: RunState): number {
  const answers = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const first = turn === 0 ? messages.length : (answers.at(-turn) ?? answers[0] ?? messages.length)
  return messages.slice(0, first).findLastIndex(isRequest)
}
