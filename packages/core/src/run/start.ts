import { CapstanError } from '../errors.js'
import type { Message } from '../types/message.js'
import type { Limits, RunState } from '../types/state.js'
import { openCalls } from '../types/state.js'
import { noUsage } from '../usage.js'
import { checkMessages, closeOpenCalls } from './check-messages.js'
import type { RunInput } from './feature.js'

/** A new run. */
export interface NewRun {
  readonly definitionHash: string
  readonly agent: string
  /** Default: random. */
  readonly runId?: string | undefined
  readonly limits: Limits
}

/** Whether an input is the state of a run. */
export function isState(input: RunInput): input is RunState {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

/**
 * Returns the state of a new run. @throws CapstanError `invalid_request` for a conversation that a server would reject
 */
export function createState(
  input: string | readonly Message[],
  { agent, definitionHash, runId = crypto.randomUUID(), limits }: NewRun,
): RunState {
  const messages = typeof input === 'string' ? toConversation(input) : fromConversation(input)
  const state: RunState = {
    schema: 1,
    runId,
    agent,
    definitionHash,
    messages,
    results: {},
    flags: {},
    kept: {},
    pending: [],
    stepCount: 0,
    usage: noUsage,
    limits,
  }
  // A conversation that ends in open calls has a reply of the model: its step is resumed.
  return openCalls(state).length > 0 ? { ...state, stepCount: 1 } : state
}

/** Returns the conversation of a text. @throws CapstanError `invalid_request` for an empty one */
export function toConversation(text: string): Message[] {
  if (text.trim() === '')
    throw new CapstanError('invalid_request', 'The input is empty. Pass a text or messages.')
  return [{ role: 'user', content: text }]
}

function fromConversation(messages: readonly Message[]): Message[] {
  checkMessages(messages)
  return closeOpenCalls(messages)
}

/** Returns the index of the user message that started the run; -1 when there is none. */
export function firstUserMessage({ messages, stepCount }: RunState): number {
  const replies = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const first = stepCount === 0 ? messages.length : (replies.at(-stepCount) ?? replies[0] ?? messages.length)
  return messages.slice(0, first).findLastIndex(({ role }) => role === 'user')
}
