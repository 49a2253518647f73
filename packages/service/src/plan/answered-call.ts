import { isRecord } from '../record.js'
import type { ChatMessage, MessageCall } from './chat-message.js'
import { isDeeperThan, mostLevels } from './json-depth.js'
import { artifactId } from './read-clause.js'

/** A call that was made and answered. */
export interface AnsweredCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** What the tool answered: JSON where it was JSON, else the text. */
  readonly result: unknown
  readonly failed: boolean
  readonly artifacts: readonly string[]
  /** The place of the message that made it: calls of one message have one round, later ones a higher. */
  readonly round: number
}

/** The calls that some messages make, each with its answer. */
export function toCalls(messages: readonly ChatMessage[]): AnsweredCall[] {
  return messages.flatMap((message, round) => {
    if (message.role !== 'assistant') return []
    const answers = messages.slice(round + 1, round + 1 + message.calls.length)
    return message.calls.map((call) => {
      const answer = answers.find((one) => one.role === 'tool' && one.callId === call.id)
      return toAnswered(call, answer?.text ?? '', round)
    })
  })
}

function toAnswered({ name, arguments: text }: MessageCall, answer: string, round: number): AnsweredCall {
  const args = parseJson(text)
  const result = parseJson(answer)
  const failed = isFailure(result)
  const artifacts = failed ? [] : idsOf(result)
  return { name, arguments: isRecord(args) ? args : {}, result, failed, artifacts, round }
}

const failure = /^\s*(?:error|\w+error|exception|failed|failure|not run|cut off|denied|rejected)\b\s*[:.,(-]/i

function isFailure(result: unknown): boolean {
  if (typeof result === 'string') return failure.test(result)
  if (!isRecord(result)) return false
  return Boolean(result.error) || result.ok === false || result.success === false || result.status === 'error'
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(mostLevels, value) ? text : value
  } catch {
    return text
  }
}

/** The artifact ids in a result. */
export function idsInJson(text: string): string[] {
  return idsOf(parseJson(text))
}

// Ids stand in values; a key such as "file_location" only looks like one.
function idsOf(value: unknown): string[] {
  if (typeof value === 'string') return idsIn(value)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsOf) : []
}

/** The artifact ids in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(artifactId) ?? [])]
}
