// A request that is too long contains only part of the history. The state records which part, so that each request
// extends the previous one.

import { artifactReader } from '../../artifacts/artifact.js'
import { chain } from '../../async.js'
import { toUtf8 } from '../../bytes.js'
import type { CapstanError } from '../../errors.js'
import { hashOf, isRecord, isString, onceFor } from '../../json.js'
import {
  estimateMessages,
  estimateTokenCount,
  estimateTools,
  learnRatio,
  ratioOf,
  windows,
} from '../../run/estimate.js'
import type { Middleware, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import {
  callsOf,
  isInstruction,
  type Message,
  type ToolMessage,
  type UserMessage,
  withText,
} from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'

/** The parts of the history that a middleware omits, by message index in the run. Stored in `RunState.kept`. */
export type Cut = {
  /**
   * The index of the first message that is shown. Instructions, the run's task and the last user message are always
   * shown.
   */
  readonly from: number
  /** A hash of the message before `from`. The cut does not apply to a history with a different message there. */
  readonly anchor: string
  /** A summary of the earlier messages. */
  readonly summary?: string
  /** Results that are only partly shown, by message index. */
  readonly short?: Readonly<Record<string, ShortResult>>
  /** The window that a model's server has reported, so that another process does not get the same rejection. */
  readonly window?: { readonly model: string; readonly tokens: number }
}

/** The id of the artifact with a result's full text, the number of characters shown, and the total number. */
export type ShortResult = readonly [artifact: string, shown: number, length: number]

/**
 * A request, with the data that is needed to shorten it. In this file, a place is a position in the request's messages,
 * and an index is a position in the run's messages.
 */
export interface LongRequest {
  readonly call: StepRequest
  readonly run: RunView
  readonly messages: readonly Message[]
  /**
   * The index in the run for each message. A message that is not in the run gets the index of the message before it.
   */
  readonly indexes: readonly number[]
  /** The place of the user message that started the run; -1 if there is none. */
  readonly task: number
  /** Estimated tokens of instructions and tools. */
  readonly fixed: number
  /** Estimates how many tokens the server would count for a request with these messages. */
  tokensOf(messages: readonly Message[]): number
  /** Like `tokensOf`, but without the correction from the server's reports. */
  estimate(messages: readonly Message[]): number
  /** Whether this middleware has failed, so that the next middleware must shorten requests. */
  isLeft?: boolean
}

/** Maps a changed message to the run's own message. */
const origins = new WeakMap<Message, Message>()

export function toLongRequest(call: StepRequest, run: RunView): LongRequest {
  const { messages, model } = call
  const all = new Set(run.messages)
  let index = -1
  const indexes = messages.map((message) => {
    const own = origins.get(message) ?? message
    // The same message may occur twice.
    if (all.has(own)) index = Math.max(index, run.messages.indexOf(own, index + 1))
    return Math.max(0, index)
  })
  const task = run.task < 0 ? -1 : indexes.indexOf(run.task)
  const known = Object(run.kept[ratioName])
  // Applied only once, because a rejection may have corrected it since.
  if (known.model === model.name && applied.get(run) !== known) {
    applied.set(run, known)
    learnRatio(model, 1, { inputTokens: known.ratio, cachedInputTokens: 0 })
  }
  const ratio = ratioOf(model)
  const ofRest = estimateInstructions(call) + estimateTools(call.tools)
  const estimate = (list: readonly Message[]) => ofRest + estimateMessages(list)
  const tokensOf = (list: readonly Message[]) => Math.ceil(ratio * estimate(list))
  return { call, run, messages, indexes, task, fixed: tokensOf([]), tokensOf, estimate }
}

/**
 * The name in `RunState.kept` for the factor that corrects estimates. The factor is stored so that another process
 * shortens requests in the same way.
 */
const ratioName = 'context-ratio'

/** The stored factor that each run has applied. */
const applied = new WeakMap<RunView, unknown>()

/**
 * Estimates the tokens of the instructions. Returns 0 if a function writes the instructions, because the correction
 * from the server's reports then includes them.
 */
export function estimateInstructions({ instructions }: StepRequest): number {
  return isString(instructions) ? 4 + estimateTokenCount(instructions) : 0
}

/** The cut that shows the entire history. */
const noCut: Cut = { from: 0, anchor: '' }

/**
 * Returns the stored cut if it is valid and matches this history, otherwise `noCut`. A stored state may come from
 * anywhere.
 */
function cutIn(stored: unknown, { messages }: RunView): Cut {
  const { from, anchor, summary = '', short = {} } = Object(stored)
  const isCut = isString(summary) && isRecord(short) && Object.values(short).every(Array.isArray)
  return isCut && anchor === anchorAt(messages, from) ? (stored as Cut) : noCut
}

function anchorAt(messages: readonly Message[], index: number): string {
  const message = messages[index - 1]
  return message ? hashOf(message) : ''
}

/** Returns the cut, moved so that it starts at a position in the request. */
export function cutAt({ run, indexes }: LongRequest, place: number, cut: Cut): Cut {
  const from = indexes[place] ?? 0
  return { ...cut, from, anchor: anchorAt(run.messages, from) }
}

type Places = Pick<LongRequest, 'messages' | 'indexes' | 'task'>

export function startOf({ messages, indexes }: Places, { from }: Cut): number {
  const place = indexes.findIndex((index) => index >= from)
  return Math.max(openingOf(messages), place < 0 ? messages.length : place)
}

/** Returns the messages that a cut shows. The same cut always shows the same messages. */
export function shownWith(request: Places, cut: Cut): readonly Message[] {
  const { messages, task } = request
  const opening = openingOf(messages)
  const start = startOf(request, cut)
  if (start === opening && !cut.short) return messages
  const last = messages.findLastIndex((message, place) => place < start && isUser(message))
  // Exchanges before the run are omitted entirely, unless an earlier run wrote the summary in the middle of its steps.
  const isWhole = (task < 0 || task >= start) && messages[start]?.role === 'user'
  const staying = isWhole ? [start] : [...new Set([Math.min(task, last), last])].filter((place) => place >= 0)
  const users = staying.map((place) => messages[place] as UserMessage)
  const next = isWhole ? start + 1 : start
  return [
    ...messages.slice(0, opening),
    ...joined(users, cut.summary),
    ...messages.slice(next).map((_, at) => shownAt(request, next + at, cut)),
  ]
}

/** Returns a message as a cut shows it: a result may be shortened. */
export function shownAt({ messages, indexes }: Places, place: number, cut: Cut): Message {
  const message = messages[place] as Message
  const short = message.role === 'tool' && cut.short?.[String(indexes[place])]
  return short ? showPart(messages, place, short) : message
}

/**
 * Joins user messages, since many servers reject two in a row, and adds the summary. A message with files is not
 * joined, because its files refer to positions in the message's content.
 */
function joined(users: readonly UserMessage[], summary: string | undefined): readonly UserMessage[] {
  const [first, second] = users
  const canJoin = second && isString(first?.content) && isString(second.content) && !second.media
  const said = [canJoin ? second.content : '', summary ? summaryHead + summary : ''].filter(Boolean)
  if (!first || !said[0]) return users
  const text = `\n\n${said.join('\n\n')}`
  const made = inForm(first, text, ({ content }) => ({
    ...(second?.taintedBy && { taintedBy: second.taintedBy }),
    content: withText(content, text),
  }))
  return [made, ...(canJoin ? [] : users.slice(1))]
}

/** Text for the model. */
const summaryHead = '[Summary of the earlier conversation]\n'

/**
 * Returns a result as shown in requests: its first characters, then a line that names the artifact with the full
 * result.
 */
function showPart(
  messages: readonly Message[],
  place: number,
  [artifact, shown, length]: ShortResult,
): Message {
  const message = messages[place] as ToolMessage
  if (message.content.length !== length) return message
  return inForm(message, `${artifact} ${shown}`, ({ content }) => {
    // Text for the model: its start, and what is omitted.
    const [head, what] =
      shown > 0
        ? [`${content.slice(0, shown).toWellFormed()}\n`, `${length - shown} of ${length} characters`]
        : ['', `${bytesOf(message)} bytes of ${toolOf(messages, place)}`]
    // Text for the model.
    return {
      content: `${head}[${what} omitted. Use ${artifactReader} with artifact "${artifact}" to read any part.]`,
    }
  })
}

/**
 * Returns a changed copy of a message. Returns the same copy until `key` changes, so that each copy is serialized only
 * once.
 */
function inForm<One extends Message>(message: One, key: string, change: (message: One) => Partial<One>): One {
  const form = formOf(message)
  if (form.key !== key) {
    const made = { ...message, ...change(message) }
    origins.set(made, origins.get(message) ?? message)
    Object.assign(form, { key, made })
  }
  return form.made as One
}

const formOf = /* @__PURE__ */ onceFor((_message: Message): { key?: string; made?: Message } => ({}))

export function bytesOf({ content }: ToolMessage): number {
  return toUtf8(content).byteLength
}

/** Returns the name of the tool that returned the result at a position. */
export function toolOf(messages: readonly Message[], place: number): string {
  const { tool_call_id: callId } = messages[place] as ToolMessage
  let at = place
  while (messages[at]?.role === 'tool') at--
  return callsOf(messages[at]).find(({ id }) => id === callId)?.function.name ?? 'a tool'
}

/** The bounds of one request, in estimated tokens and in messages. */
export interface Bounds {
  /** A request with more tokens is shortened, or not sent if it cannot be shortened. */
  readonly maxTokens: number
  /** The target for a shortened request, in tokens. Default, and if it is not less than `maxTokens`: about half. */
  readonly keepTokens?: number | undefined
  readonly maxMessages?: number | undefined
  /** The option that sets `maxTokens`, to name it in the error. Default `contextTokens`. */
  readonly option?: string
}

/** Returns a cut that shortens a request that is too long. Returns `cut` itself if nothing can be omitted. */
export type Shorten = (request: LongRequest, cut: Cut, bounds: Bounds) => Cut | Promise<Cut>

interface Shortening extends Middleware {
  beforeModel(
    call: StepRequest,
    run: RunView,
  ): Partial<StepRequest> | undefined | Promise<Partial<StepRequest> | undefined>
}

/**
 * The newest cut of each middleware in a run, by name. A cut is added to the run's state when the model has replied to
 * the shortened request, or earlier if the cut has a new summary.
 */
const cutsOf = /* @__PURE__ */ onceFor((_run: RunView): Record<string, Cut> => ({}))

/** Creates a middleware that shortens histories and keeps its cut in the run's state. */
export function shorteningWith(
  name: string,
  boundsOf: (call: StepRequest, run: RunView) => Bounds | undefined,
  shorten: Shorten,
): Shortening {
  return {
    name,
    beforeModel(call, run) {
      const bounds = boundsOf(call, run)
      const stored = run.kept[name]
      if (!bounds && !stored) return undefined
      const cuts = cutsOf(run)
      const cut = cuts[name] ?? cutIn(stored, run)
      const request = toLongRequest(call, run)
      const before = shownWith(request, cut)
      const isLong =
        bounds &&
        (request.tokensOf(before) > bounds.maxTokens || before.length > (bounds.maxMessages ?? before.length))
      return chain(isLong ? shorten(request, cut, bounds) : cut, (last) => {
        const messages = last === cut ? before : shownWith(request, last)
        if (last !== cut) {
          cuts[name] = last
          tellTrimmed(name, request, messages)
        }
        const keep = ({ tokens }: StepReply) => {
          const { model } = call
          // If several middlewares shorten a request, the last one sets the ratio, because its messages were sent.
          learnRatio(model, request.estimate(messages), tokens)
          return {
            [ratioName]: { model: model.name, ratio: ratioOf(model) },
            ...(last !== noCut && { [name]: last }),
            // This adds the tool that reads the full results.
            ...(last.short && { 'long-results': true }),
          }
        }
        // Stores a new summary first, so that it is not lost if the process ends before the reply.
        return { messages, keep, keepFirst: call.keepFirst || last.summary !== cut.summary }
      })
    },
  }
}

/**
 * Returns a model's context window in tokens, or `Infinity` if it is unknown: `given`, or less if the server
 * has rejected a request. `stored` is a stored state, in which another process may have recorded the window.
 */
export function windowOf(model: ChatModel, given: number | undefined, stored: unknown): number {
  const { window } = Object(stored)
  const kept = !given && window?.model === model.name && window.tokens
  return Math.min(given || Infinity, windows.get(model) || kept || Infinity)
}

/** Adds the window that a model's server has reported. */
export function withWindow(cut: Cut, model: ChatModel): Cut {
  const tokens = windows.get(model)
  return tokens ? { ...cut, window: { model: model.name, tokens } } : cut
}

/**
 * Learns a model's window and its count of tokens from a rejection. Returns the corrected number of tokens of the
 * rejected request.
 */
export function learnRefusal(error: unknown, model: ChatModel, estimated: number): number {
  const { contextTokens, promptTokens } = Object((error as CapstanError).evidence)
  const inputTokens = promptTokens ?? Math.max(contextTokens ?? 0, ratioOf(model) * estimated)
  learnRatio(model, estimated, { inputTokens, cachedInputTokens: 0 })
  // If the server reports no numbers, allows at most three quarters of the tokens that were sent.
  windows.set(model, contextTokens ?? 0.94 * inputTokens)
  return Math.ceil(ratioOf(model) * estimated)
}

/** Returns how many tokens a request to a model with this window may have. Leaves space for the reply. */
export function tokensIn(window: number, settings: StepRequest['settings']): number {
  const reply = settings.max_tokens ?? settings.max_completion_tokens ?? settings.max_output_tokens ?? 0
  return Math.floor(Math.max(window / 10, Math.min(0.8 * window, window - (reply as number))))
}

/** Omits the oldest messages until at most `keepTokens` tokens and half of `maxMessages` messages are left. */
export const trim: Shorten = (request, cut, bounds) => {
  const place = placeToCut(request, cut, bounds)
  return place === undefined ? cut : cutAt(request, place, cut)
}

/**
 * Returns the position of the first message to keep: a user message before the run, or a reply in the run. If too much
 * would remain at every position, returns the position of the newest step's reply. Undefined if nothing can be omitted.
 */
export function placeToCut(
  request: LongRequest,
  cut: Cut,
  { maxTokens, keepTokens = Infinity, maxMessages = Infinity }: Bounds,
): number | undefined {
  const { messages, task, fixed, tokensOf } = request
  // By default half of the room for messages: with long instructions and tools, half of all tokens could require a new
  // cut in each step.
  const most = keepTokens < maxTokens ? keepTokens : fixed + (maxTokens - fixed) / 2
  const start = startOf(request, cut)
  const begin = task >= 0 ? task : messages.findLastIndex(isUser)
  const places = messages.flatMap((message, place) =>
    place > start && (place <= begin ? isUser(message) : message.role === 'assistant') ? [place] : [],
  )
  let [low, high] = [0, places.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const kept = shownWith(request, cutAt(request, places[middle] ?? 0, cut))
    if (tokensOf(kept) <= most && kept.length <= maxMessages / 2) high = middle
    else low = middle + 1
  }
  return places[low]
}

function isUser(message: Message): message is UserMessage {
  return message.role === 'user'
}

/** Returns the number of system and developer messages at the start. */
function openingOf(messages: readonly Message[]): number {
  const place = messages.findIndex((message) => !isInstruction(message))
  return Math.max(0, place)
}

/** Returns the position of the newest reply; -1 if there is none. */
export function lastReplyIn(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === 'assistant')
}

export function tellTrimmed(
  by: string,
  { messages, tokensOf, run }: LongRequest,
  shown: readonly Message[],
): void {
  const tokens = { before: tokensOf(messages), after: tokensOf(shown) }
  run.emit({ type: 'context-trimmed', by, before: messages.length, after: shown.length, tokens })
}
