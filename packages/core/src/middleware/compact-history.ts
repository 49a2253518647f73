import { estimateTokenCount } from 'tokenx'
import { abortable } from '../async.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import { limitPassed } from '../limits.js'
import type { Compact, History, RunContext, RunSettings } from '../run/run-context.js'
import type { Emit } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import { callsOf, type Message, textOf } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import type { RunState } from '../types/state.js'
import { type CountedRequest, costOf, type TokenUsage, withRequests } from '../usage.js'
import { isRequest } from './show-images.js'

/**
 * The history as a request shows it: whole, or as the agent shortens it.
 * @throws CapstanError `invalid_request` when that separates calls from their answers
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

/** The request that it is shortened for. */
interface Beside {
  readonly model: ChatModel
  readonly asides: SideRequests
  readonly signal: AbortSignal
  readonly emit: Emit
}

/** Whether every call is answered, and every answer has its call. */
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
    'compact separated a call from its answer: no server takes that. Keep or leave out both, as trimHistory(...) does.'
  return new CapstanError('invalid_request', message)
}

/** How long the history of one request may be: by tokens, as they are estimated, by messages, or by both. */
export interface HistoryBounds {
  readonly maxTokens?: number
  readonly maxMessages?: number
}

/**
 * Leaves out the oldest messages, never a call without its answer. Whole exchanges before the run are the first to go.
 * Then, of the run itself: the words that it began with stay, and what came after them goes, the oldest first. Its last
 * request and the newest turn are kept however long they are; the words that it began with give way to them alone.
 */
export function trimHistory(bounds: HistoryBounds): Compact {
  return ({ messages, estimate, task }) => trimmed({ messages, task }, bounds, estimate)
}

interface Trimmable {
  readonly messages: readonly Message[]
  /** The place of the words that the run began with; -1 where they are not known. */
  readonly task: number
}

/** The same as a plain function. */
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
  /** One request and what comes from a place on, with the last request where that would leave it out. */
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

/** The first of rising places that fits, where all after one that fits do too. */
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

/** What a request took that is no step of the run's: plain JSON, recorded with the step that it was made for. */
export type SideRequest = CountedRequest

interface SideRequestsFor {
  readonly step: StepContext
  readonly taken: SideRequest[]
}

/** The requests that are made beside one of the run's own, such as those for a summary. */
export class SideRequests {
  readonly #state: RunState
  readonly #plan: RunSettings
  readonly #step: StepContext
  readonly #taken: SideRequest[]

  /** What they take is added to `taken`. */
  constructor(state: RunState, plan: RunSettings, { step, taken }: SideRequestsFor) {
    this.#state = state
    this.#plan = plan
    this.#step = step
    this.#taken = taken
  }

  /** Asks without tools. @throws CapstanError `stopped` when a limit would be passed, and what the model throws */
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
      throw limitPassed('tokens', limits.tokens)
    if (limits.cost === undefined) return
    const more = prices ? costOf({ inputTokens }, name, prices) : 'unknown'
    if (cost === 'unknown' || more === 'unknown' || cost + more > limits.cost)
      throw limitPassed('cost', limits.cost)
  }
}

/** Whether a limit asks for counts that a server may not give. */
export function needsCounts({ limits }: RunState): boolean {
  return limits.tokens !== undefined || limits.cost !== undefined
}

/** About how many tokens a request and its answer took, for servers that do not say. */
export function estimateTokens(asked: readonly Message[], answer: Message): TokenUsage {
  const inputTokens = estimateMessages(asked)
  const outputTokens = estimateMessages([answer])
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** About how many tokens messages take; each message is counted once, however often it is asked for. */
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

/** What a message takes besides its words: its role, and the marks around it. */
const frame = 4
