import { estimateTokenCount } from 'tokenx'
import { abortable } from '../async.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import { limitExceeded } from '../limits.js'
import type { Compact, History, RunContext, RunSettings } from '../run/run-context.js'
import type { Emit } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import { callsOf, type Message, textOf } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import type { RunState } from '../types/state.js'
import { type CountedRequest, costOf, type TokenUsage, withRequests } from '../usage.js'
import { isRequest } from './show-images.js'

/**
 * Returns the history of a request: whole, or shortened by the agent's `compact`.
 * @throws CapstanError `invalid_request` when `compact` separates calls from their results
 */
export async function compactHistory(
  { state, task }: RunContext,
  compact: Compact,
  { model, asides, signal, emit }: Beside,
): Promise<readonly Message[]> {
  const { messages } = state
  const history: History = {
    messages,
    task,
    estimate: estimateMessages,
    model,
    ask: (asked, other = model) => asides.ask(asked, other),
    signal,
  }
  const shown = await abortable(signal, compact(history))
  if (shown === messages) return messages
  if (!isPaired(shown)) throw unpaired()
  const counts = { before: messages.length, after: shown.length }
  emit?.({ type: 'context-trimmed', step: state.turn, ...counts })
  return shown
}

/** The request whose history is shortened. */
interface Beside {
  readonly model: ChatModel
  readonly asides: SideRequests
  readonly signal: AbortSignal
  readonly emit: Emit
}

/** Whether every call has its result, and every result its call. */
export function isPaired(messages: readonly Message[]): boolean {
  let open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return false
      continue
    }
    if (open.size > 0) return false
    open = new Set(callsOf(message).map(({ id }) => id))
  }
  return open.size === 0
}

function unpaired(): CapstanError {
  const message =
    '`compact` separated a call from its result, which servers reject. Keep or drop both, as trimHistory(...) does.'
  return new CapstanError('invalid_request', message)
}

/** The maximum length of the history of one request, in estimated tokens, in messages, or both. */
export interface HistoryBounds {
  readonly maxTokens?: number
  readonly maxMessages?: number
}

/**
 * Returns a `compact` that drops the oldest messages, calls together with their results. Whole exchanges before the
 * run are dropped first, then the oldest messages of the run after its first user message. The last user message and
 * the newest step always stay; the first user message of the run is dropped only when they alone are too long.
 */
export function trimHistory(bounds: HistoryBounds): Compact {
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
  const begin = messages.findIndex(({ role }) => role !== 'system')
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

/** The usage of a side request: plain JSON, recorded with the step it was made for. */
export type SideRequest = CountedRequest

interface SideRequestsFor {
  readonly step: StepContext
  readonly taken: SideRequest[]
}

/** Makes side requests of a step, such as those for a summary. */
export class SideRequests {
  readonly #state: RunState
  readonly #plan: RunSettings
  readonly #step: StepContext
  readonly #taken: SideRequest[]

  /** The usage of each request is added to `taken`. */
  constructor(state: RunState, plan: RunSettings, { step, taken }: SideRequestsFor) {
    this.#state = state
    this.#plan = plan
    this.#step = step
    this.#taken = taken
  }

  /** Sends a request without tools. @throws CapstanError `stopped` when a limit would be passed, or the model's error */
  async ask(messages: readonly Message[], given: ChatModel): Promise<string> {
    const model = this.#plan.modelOf(given)
    this.#check(messages, model)
    const { idempotencyKey, signal } = this.#step
    const asked = {
      messages,
      tools: [],
      stream: false,
      signal,
      retries: this.#plan.host.retries === 'core',
      idempotencyKey: `${idempotencyKey}/aside-${hash(model.name + JSON.stringify(messages))}`,
    }
    const { message, tokens, model: answering } = await abortable(signal, model.complete(asked))
    const counted = tokens ?? (needsCounts(this.#state) ? estimateTokens(messages, message) : undefined)
    const aside = { reported: tokens !== undefined, model: answering ?? model.name }
    this.#taken.push(counted ? { ...aside, tokens: counted } : aside)
    return textOf(message.content)
  }

  #check(messages: readonly Message[], { name }: ChatModel): void {
    const { usage, limits } = this.#state
    const { prices } = this.#plan
    const inputTokens = estimateMessages(messages)
    const { totalTokens, cost = 0 } = withRequests(usage, this.#taken, prices)
    if (limits.tokens !== undefined && totalTokens + inputTokens > limits.tokens)
      throw limitExceeded('tokens', limits.tokens)
    if (limits.cost === undefined) return
    const more = prices ? costOf({ inputTokens }, name, prices) : 'unknown'
    if (cost === 'unknown' || more === 'unknown' || cost + more > limits.cost)
      throw limitExceeded('cost', limits.cost)
  }
}

/** Whether a limit needs token counts, which a server may not report. */
export function needsCounts({ limits }: RunState): boolean {
  return limits.tokens !== undefined || limits.cost !== undefined
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

const counts = new WeakMap<Message, number>()

function tokensOf(message: Message): number {
  const known = counts.get(message)
  if (known !== undefined) return known
  const called = callsOf(message).map((call) => `${call.function.name} ${call.function.arguments}`)
  const count = frame + estimateTokenCount([textOf(message.content), ...called].join('\n'))
  counts.set(message, count)
  return count
}

/** The tokens of a message without its text: the role and delimiters. */
const frame = 4
