import { chain } from '../../async.js'
import { CapstanError } from '../../errors.js'
import { checkOptionNames, kindOf } from '../../option-names.js'
import type { Middleware, RunView, StepRequest } from '../../run/middleware.js'
import { estimateMessages } from '../../run/side-requests.js'
import { isRequest } from '../../run/start.js'
import { isInstruction, type Message } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'

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

/**
 * Sends each request with the history that `compact` returns. A `context-trimmed` event reports a shorter one.
 * @throws CapstanError `invalid_request` for a value that is not a function
 */
export function compactHistory(compact: Compact): Middleware {
  checkOptionNames({ compact }, { compact: 'a function' }, { of: 'compactHistory', required: 'compact' })
  return {
    name: 'compact-history',
    beforeModel: (call, run) => compacted(call, run, (history) => chain(compact(history), toHistory)),
  }
}

function toHistory(given: unknown): readonly Message[] {
  if (Array.isArray(given)) return given
  const message = `compactHistory returned ${kindOf(given)}. Return an array of messages.`
  throw new CapstanError('invalid_request', message)
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

/**
 * Drops the oldest messages of each request, calls together with their results. Whole exchanges before the
 * run are dropped first, then the oldest messages of the run after its first user message. The last user message and
 * the newest step always stay; the first user message of the run is dropped only when they alone are too long.
 * @throws CapstanError `invalid_request` for an unknown limit, or one that is not a number
 */
export function trimHistory(bounds: HistoryBounds): Middleware {
  const kinds = { maxTokens: 'a number from 0 up', maxMessages: 'a number from 0 up' } as const
  checkOptionNames(bounds, kinds, { of: 'trimHistory' })
  return compactHistory(trimming(bounds))
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
  { maxTokens = Number.POSITIVE_INFINITY, maxMessages = Number.POSITIVE_INFINITY }: HistoryBounds,
  estimate: (messages: readonly Message[]) => number,
): readonly Message[] {
  const fits = (kept: readonly Message[]) => kept.length <= maxMessages && estimate(kept) <= maxTokens
  if (fits(messages)) return messages
  const begin = messages.findIndex((message) => !isInstruction(message))
  const opening = messages.slice(0, Math.max(0, begin))
  const last = messages.findLastIndex(isRequest)
  const first = messages[task] && isRequest(messages[task]) ? task : last
  const from = (place: number) => [...opening, ...messages.slice(place)]
  const requests = placesOf(isRequest, messages, opening.length)
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
