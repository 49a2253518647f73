import { isRecord } from '@capstan/core/wire'
import { HttpError } from '../http-error.js'
import { textOf } from '../text-of.js'

/** What an AG-UI client sends, as far as it is read here. */
export interface RunInput {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly AgUiMessage[]
  /** Tools of the page. */
  readonly tools: readonly unknown[]
  /** What the page says besides: its context, and instructions. */
  readonly beside: readonly string[]
  readonly resume: readonly Fields[]
}

export type Fields = Readonly<Record<string, unknown>>
export type AgUiMessage = Fields & { readonly role: 'user' | 'assistant' | 'tool' }

/** @throws HttpError 400 for what is no such input */
export function readRunInput(body: Fields): RunInput {
  const { threadId, runId, messages: given } = body
  if (typeof threadId !== 'string' || typeof runId !== 'string')
    throw invalid('`threadId` and `runId` must be texts.')
  if (!Array.isArray(given) || !given.every(isRecord)) throw invalid('`messages` must be a list of messages.')
  const context = listOf(body.context).filter(isRecord)
  const instructions = given.filter(({ role }) => role === 'system' || role === 'developer')
  return {
    threadId,
    runId,
    messages: given.filter(isSaid),
    tools: listOf(body.tools),
    beside: [
      ...context.map(({ description, value }) => `${textOf(description)}: ${textOf(value)}`),
      ...instructions.map(({ content }) => textOf(content)),
    ],
    resume: listOf(body.resume).filter(isRecord),
  }
}

/** Reasoning and activities are for people to see. */
function isSaid(message: Fields): message is AgUiMessage {
  return message.role === 'user' || message.role === 'assistant' || message.role === 'tool'
}

function listOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : []
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}
