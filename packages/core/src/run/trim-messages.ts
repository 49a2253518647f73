// Histories that fit: shorter ones for a request, by estimates of their tokens.

import { chain } from '../async.js'
import { onceFor } from '../json.js'
import { callsOf, isInstruction, type Message, textOf } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import type { TokenUsage } from '../usage.js'
import type { RunView, StepRequest } from './middleware.js'

/**
 * Shortens the history for one request. The run keeps all messages; every call that is kept must keep its result.
 * Called before each request, so it should return quickly when there is nothing to shorten.
 */
export type Compact = (history: History) => readonly Message[] | Promise<readonly Message[]>

export interface History {
  /** The messages without the instructions. The same objects in every request of a run. */
  readonly messages: readonly Message[]
  /** The index of the user message that started the run; -1 when there is none. */
  readonly task: number
  /** Estimates the tokens of messages. */
  estimate(messages: readonly Message[]): number
  /** The model of this request. */
  readonly model: ChatModel
  /**
   * Sends a side request without tools and returns the reply's text. Its tokens and cost count for the run. Default:
   * the model of this request. @throws the model's error; `stopped` when a limit of the run would be passed, which
   * ends the run unless it is caught
   */
  ask(messages: readonly Message[], model?: ChatModel): Promise<string>
  readonly signal: AbortSignal
}

/** Returns the change of a request whose history becomes shorter; undefined when it stays. */
export function compacted(call: StepRequest, run: RunView, compact: Compact) {
  const { messages, model, signal } = call
  const ask: History['ask'] = (asked, other) => call.ask(asked, other)
  // After a handoff there may be fewer messages.
  const isWhole = messages.length === run.messages.length
  const at = isWhole ? run.task : messages.indexOf(run.messages[run.task] as Message)
  const history = { messages, task: at, estimate: estimateMessages, model, ask, signal }
  return chain(compact(history), (shown) => {
    if (shown === messages) return undefined
    run.emit({ type: 'context-trimmed', before: messages.length, after: shown.length })
    return { messages: shown }
  })
}

/** The maximum length of the history of one request, in estimated tokens, in messages, or both. */
export interface HistoryBounds {
  readonly maxTokens?: number
  readonly maxMessages?: number
}

/** Returns the function that `trimHistory` gives to `compactHistory`. */
export function trimming(bounds: HistoryBounds): Compact {
  return ({ messages, estimate, task }) => trimmed({ messages, task }, bounds, estimate)
}

interface Trimmable {
  readonly messages: readonly Message[]
  /** The index of the user message that started the run; -1 if unknown. */
  readonly task: number
}

/** Trims messages as `trimHistory` does. */
export function trimmed(
  { messages, task }: Trimmable,
  { maxTokens = Infinity, maxMessages = Infinity }: HistoryBounds,
  estimate: (messages: readonly Message[]) => number,
): readonly Message[] {
  const fits = (kept: readonly Message[]) => kept.length <= maxMessages && estimate(kept) <= maxTokens
  if (fits(messages)) return messages
  const begin = messages.findIndex((message) => !isInstruction(message))
  const opening = messages.slice(0, Math.max(0, begin))
  const last = messages.findLastIndex(isUser)
  const first = messages[task] && isUser(messages[task]) ? task : last
  const from = (place: number) => [...opening, ...messages.slice(place)]
  const requests = placesOf(isUser, messages, opening.length)
  const start = firstFitting(
    requests.filter((place) => place <= first),
    (place) => fits(from(place)),
  )
  if (start !== undefined) return from(start)
  /** One user message and the messages from a place on, with the last user message if that is before the place. */
  const after = (request: number, place: number) => {
    const kept = place > last && request !== last ? [request, last] : [request]
    return [...opening, ...kept.flatMap((at) => messages[at] ?? []), ...messages.slice(place)]
  }
  const turns = placesOf(isAnswer, messages, first + 1)
  const places = [...requests.filter((place) => place > first), ...turns].sort((one, other) => one - other)
  const place = firstFitting(places, (one) => fits(after(first, one)))
  if (place !== undefined) return after(first, place)
  return after(last, placesOf(isAnswer, messages, last + 1).at(-1) ?? messages.length)
}

function isUser({ role }: Message): boolean {
  return role === 'user'
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant'
}

function placesOf(
  isOne: (message: Message) => boolean,
  messages: readonly Message[],
  from: number,
): number[] {
  return messages.flatMap((message, at) => (at >= from && isOne(message) ? [at] : []))
}

/** Returns the first of rising places that fits, by binary search: all places after it fit too. */
function firstFitting(places: readonly number[], fits: (place: number) => boolean): number | undefined {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (fits(places[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return places[low]
}

/** Estimates the tokens of a request and its reply, for servers that do not report them. */
export function estimateTokens(asked: readonly Message[], answer: Message): TokenUsage {
  const inputTokens = estimateMessages(asked)
  const outputTokens = estimateMessages([answer])
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** Estimates the tokens of messages. Counts each message once and caches the count. */
export function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0)
}

const tokensOf = onceFor((message: Message) => {
  const texts = [textOf(message.content), ...calledIn(message)]
  return frame + estimateTokenCount(texts.join('\n'))
})

/** The calls of a message, as texts whose tokens count. */
export function calledIn(message: Message): readonly string[] {
  return callsOf(message).map((call) => `${call.function.name} ${call.function.arguments}`)
}

/** The tokens of a message without its text: the role and delimiters. */
const frame = 4

/** Estimates the tokens of a text. For languages without spaces and for emoji rather more than servers count. */
export function estimateTokenCount(text: string): number {
  return isPlain.test(text) ? countPlain(text) : (text.match(likelyTokens)?.length ?? 0)
}

/** One CJK character or emoji, or a part of a word, a number or a run of signs. */
const likelyTokens =
  /[\u2e80-\ud7ff\uf900-\uffef\p{Extended_Pictographic}]|[a-z]{1,8}|[\p{L}\p{M}]{1,4}|\d{1,3}|[^\s\p{L}\d]{1,6}/giu

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters of one byte.
const isPlain = /^[\x00-\x7f]*$/

/** Counts the same in text of one byte a character, at a tenth of the cost. */
function countPlain(text: string): number {
  let count = 0
  let kind = 0
  let left = 0
  for (let at = 0; at < text.length; at++) {
    const next = kinds[text.charCodeAt(at)] as number
    if (next === 0) left = 0
    else if (next === kind && left > 0) left -= 1
    else {
      count += 1
      left = next - 1
    }
    kind = next
  }
  return count
}

/** The most characters of one token that a character begins: letters, digits, signs, and none for white space. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\s/.test(character)) return 0
  if (/\d/.test(character)) return 3
  return /[a-z]/i.test(character) ? 8 : 6
})
