import { isArtifactId } from '../artifacts/artifact.js'
import { CapstanError } from '../errors.js'
import { type RaiseChildren, readState, resume } from '../features/resume/resume.js'
import { toLimits } from '../limits.js'
import type { Message } from '../types/message.js'
import type { Decisions, Limits, RunState } from '../types/state.js'
import { openCalls } from '../types/state.js'
import { noUsage } from '../usage.js'
import { checkMessages, closeOpenCalls } from './check-messages.js'

/** The input of a run: text, a conversation, or the state of a run to resume. */
export type RunInput = string | readonly Message[] | RunState

export interface CreateStateOptions {
  readonly definitionHash: string
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
  /** Returns the pending child runs of a state under new limits. */
  readonly raiseChildren?: RaiseChildren | undefined
  /** How middlewares change the state. */
  readonly onResume?: ((state: RunState, before: RunState) => RunState) | undefined
}

/**
 * Creates the state of a new or resumed run. @throws CapstanError `invalid_request` for a conversation that a server
 * would reject, `invalid_state` for a state that cannot be resumed, `conflict` for a state of an agent with other
 * tools, or for a decision on a call that is not the one shown
 */
export function createState(input: RunInput, options: CreateStateOptions): RunState {
  return isState(input) ? resumeState(readState(input, options.decisions), options) : start(input, options)
}

/** Whether an input is the state of a run. */
export function isState(input: RunInput): input is RunState {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function resumeState(
  state: RunState,
  { runId = state.runId, further, decisions = {}, ...options }: CreateStateOptions,
): RunState {
  const resumed = resume(state, { ...options, runId, limits: toLimits(state.limits, further) })
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
    results: {},
    flags: {},
    kept: {},
    pending: [],
    stepCount: 0,
    usage: noUsage,
    limits: toLimits(limits, further),
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
  return messages.slice(0, first).findLastIndex(isRequest)
}

/** The start of a message that names the images of a step. It is stored: old conversations contain it. */
export const imagesMark = 'The pictures that the results above name: '

/**
 * Reads the ids of the images that such a message names; undefined for any other. A user can write one too, so callers
 * check the ids.
 */
export function imagesNamedIn({ role, content }: Message): readonly string[] | undefined {
  if (role !== 'user' || typeof content !== 'string' || !content.startsWith(imagesMark)) return undefined
  // References to attachments follow on later lines.
  const [line = ''] = content.slice(imagesMark.length).split('\n')
  const ids = line.split(', ')
  return ids.every(isArtifactId) ? ids : undefined
}

/** Whether a message is from the user, not one that names the images of a step. */
export function isRequest(message: Message): boolean {
  return message.role === 'user' && imagesNamedIn(message) === undefined
}
