import { type CapstanError, invalidRequest } from '../errors.js'
import { isRecord, isString } from '../json.js'
import { notRunResult } from '../tools/rejections.js'
import { callsFunction, callsOf, contents, isContent, type Message } from '../types/message.js'
import { type Limits, openCalls, type RunState } from '../types/state.js'
import { copyOfUsage, noUsage } from '../usage.js'
import type { RunInput } from './feature.js'

/** The fields of a new run's state that do not come from its input. */
export interface NewState {
  readonly definitionHash: string
  readonly agent: string
  /** Default: a random id. */
  readonly runId?: string | undefined
  readonly limits: Limits
}

/** Whether an input is a run state, as opposed to text or messages. */
export function isState(input: RunInput): input is RunState {
  return isRecord(input)
}

/**
 * Returns the state of a new run. @throws CapstanError `invalid_request` for a conversation that a server would reject
 */
export function createState(
  input: string | readonly Message[],
  { agent, definitionHash, runId = crypto.randomUUID(), limits }: NewState,
): RunState {
  if (!isString(input)) checkMessages(input)
  const messages = isString(input) ? toConversation(input) : closeOpenCalls(input)
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
    usage: copyOfUsage(noUsage),
    limits,
  }
  // A conversation that ends with open calls contains the reply that made the calls: the reply's step is resumed.
  return openCalls(state).length > 0 ? { ...state, stepCount: 1 } : state
}

/** Returns a conversation with one user message. @throws CapstanError `invalid_request` for an empty string */
export function toConversation(text: string): Message[] {
  if (text.trim() === '') throw emptyInput()
  return [{ role: 'user', content: text }]
}

function emptyInput(): CapstanError {
  return invalidRequest('Empty input. Pass a string or an array of messages.')
}

/** Returns the index of the user message that started the run; -1 if there is none. */
export function firstUserMessage({ messages, stepCount }: RunState): number {
  const replies = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const first = stepCount === 0 ? messages.length : (replies.at(-stepCount) ?? replies[0] ?? messages.length)
  return messages.slice(0, first).findLastIndex(({ role }) => role === 'user')
}

/** Rejects messages that a server would reject. @throws CapstanError `invalid_request` that names the message */
export function checkMessages(messages: unknown): asserts messages is readonly Message[] {
  if (!Array.isArray(messages) || messages.length === 0) throw emptyInput()
  for (const [position, message] of messages.entries()) {
    const wrong = faultOf(message)
    if (wrong !== undefined) throw invalidRequest(`messages[${position}]${wrong}`, { position })
  }
}

function faultOf(message: unknown): string | undefined {
  if (!isRecord(message)) return ' is not a message: { role, content }.'
  const { role, content, tool_call_id, tool_calls } = message
  if (!roles.includes(role)) return `.role is ${JSON.stringify(role)}. Roles: ${roles.join(', ')}.`
  const kinds = contents[role as keyof typeof contents]
  if (!isContent(content, kinds)) return `.content must be ${kinds.join(' or ')} in a "${role}" message.`
  if (role === 'tool' && !isString(tool_call_id)) return '.tool_call_id must be the id of a call.'
  if (role !== 'assistant' || tool_calls === undefined) return undefined
  if (!Array.isArray(tool_calls)) return '.tool_calls must be an array.'
  const bad = tool_calls.findIndex((call) => !isCall(call))
  return bad === -1
    ? undefined
    : `.tool_calls[${bad}] must be { id, type: "function", function: { name, arguments } }.`
}

const roles: readonly unknown[] = Object.keys(contents)

function isCall(call: unknown): boolean {
  return isRecord(call) && isString(call.id) && call.id !== '' && callsFunction(call)
}

/**
 * Adds a "not run" result for each call that has no result although other messages follow it. The last reply's calls
 * stay open if none of them has a result.
 * @throws CapstanError `invalid_request` for a result without an open call
 */
export function closeOpenCalls(messages: readonly Message[]): Message[] {
  const closed: Message[] = []
  const open = new Set<string>()
  const close = () => {
    for (const id of open) closed.push({ role: 'tool', tool_call_id: id, content: notRunResult.content })
    open.clear()
  }
  for (const [position, message] of messages.entries()) {
    if (message.role !== 'tool') close()
    else if (!open.delete(message.tool_call_id)) {
      const { tool_call_id } = message
      const problem = `messages[${position}] answers call "${tool_call_id}", but no earlier message has that open call.`
      throw invalidRequest(problem, { position, tool_call_id })
    }
    closed.push(toFixed(message))
    for (const { id } of callsOf(message)) open.add(id)
  }
  // If some of the last calls have results, the others are closed too: a step is resumed with all of its calls or not
  // at all.
  if (closed.at(-1)?.role === 'tool') close()
  return closed
}

/**
 * Returns a frozen copy of a message, or the message itself if it is frozen. Messages are serialized only once, so the
 * caller must not be able to change them.
 */
export function toFixed(message: Message): Message {
  const { ...copy } = message
  return Object.isFrozen(message) ? message : Object.freeze(copy)
}
