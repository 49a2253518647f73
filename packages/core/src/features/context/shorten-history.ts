// Requests that are too long show a part of the history. What they leave out is stored, so that each one extends the one
// before.

import { chain } from '../../async.js'
import { hash, isRecord, onceFor, withoutUndefined } from '../../json.js'
import {
  estimateMessages,
  estimateTokenCount,
  estimateTools,
  learnRatio,
  ratioOf,
  windows,
} from '../../run/estimate.js'
import type { Middleware, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import { isInstruction, type Message, type UserMessage } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'

/** A request whose size is estimated. */
export interface Sized {
  readonly run: RunView
  readonly messages: readonly Message[]
  /** Tokens of instructions and tools. */
  readonly fixed: number
  /** Estimates the tokens of a request with these messages. */
  tokensOf(messages: readonly Message[]): number
}

export function sizeOf(call: StepRequest, run: RunView): Sized {
  const ratio = ratioOf(call.model)
  const fixed = Math.ceil(ratio * estimateFixed(call, run))
  const tokensOf = (list: readonly Message[]) => fixed + Math.ceil(ratio * estimateMessages(list))
  return { run, messages: call.messages, fixed, tokensOf }
}

/** Estimates the tokens of a request beside its messages. */
export function estimateFixed(call: StepRequest, run: RunView): number {
  return estimateInstructions(call, run) + estimateTools(call.tools)
}

/** Estimates the tokens of the instructions: of those that are computed, as they were sent last. */
export function estimateInstructions({ instructions }: StepRequest, run: RunView): number {
  const isComputed = typeof instructions === 'function'
  const text = isComputed ? run.system?.content : instructions
  if (text) return 4 + estimateTokenCount(text)
  return isComputed ? (sentBefore.get(run) ?? 0) : 0
}

/** The tokens of computed instructions that another process has sent. */
const sentBefore = new WeakMap<RunView, number>()

/**
 * Returns the first place behind another one that fits: a user message before the run, or a reply of the run. None fits:
 * the last one, of the newest step. Undefined when there is none.
 */
export function placeThatFits(
  messages: readonly Message[],
  task: number,
  after: number,
  fits: (place: number) => boolean,
): number | undefined {
  const begin = task >= 0 ? task : messages.findLastIndex(isUser)
  const least = Math.max(after, openingOf(messages))
  const places = messages.flatMap((message, place) =>
    place > least && (place <= begin ? isUser(message) : message.role === 'assistant') ? [place] : [],
  )
  let [low, high] = [0, places.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (fits(places[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return places[low]
}

/** The parts of a history that a middleware leaves out, by the indexes of the run's messages. Stored in `RunState.kept`. */
export type Cut = {
  /** The first message that is shown. Before it stay instructions, the run's task and the last user message. */
  readonly from: number
  /** A hash of that message: in another history the cut is void. */
  readonly anchor: string
  /** A summary of the messages before it. */
  readonly summary?: string
  /** Results that are shown in part, by index. */
  readonly short: Readonly<Record<string, ShortResult>>
}

/** The artifact that has the whole text of a result, the characters that are shown of it, and all of them. */
export type ShortResult = readonly [artifact: string, shown: number, length: number]

/** One request that is too long, or may be. */
export interface LongRequest extends Sized {
  readonly call: StepRequest
  /** The index of each message in the run, or that of the one before it. */
  readonly indexes: readonly number[]
  /** The place of the user message that started the run; -1 when there is none. */
  readonly task: number
  /** Returns a result that is shown in part. Absent: results are shown whole. */
  readonly showPart?: ShowPart | undefined
  /** Set when the request is left to the next middleware that shortens. */
  isLeft?: boolean
}

type ShowPart = (messages: readonly Message[], place: number, short: ShortResult) => Message

/** The messages that are shown in another form, with those of the run. */
export const origins = new WeakMap<Message, Message>()

export function toLongRequest(call: StepRequest, run: RunView, showPart?: ShowPart): LongRequest {
  const { messages } = call
  const all = new Set(run.messages)
  let index = -1
  const indexes = messages.map((message) => {
    const own = origins.get(message) ?? message
    // The same message may stand at two places.
    if (all.has(own)) index = Math.max(index, run.messages.indexOf(own, index + 1))
    return Math.max(0, index)
  })
  const task = run.task < 0 ? -1 : indexes.indexOf(run.task)
  return { ...sizeOf(call, run), call, indexes, task, showPart }
}

/** Shows the whole history. */
export const noCut: Cut = { from: 0, anchor: '', short: {} }

/** Returns a stored cut, if it is of this history. A stored state may come from anywhere. */
export function cutIn(stored: unknown, { messages }: RunView): Cut {
  if (!isRecord(stored)) return noCut
  const { from, anchor, summary = '', short } = stored
  const isCut = typeof summary === 'string' && isRecord(short) && Object.values(short).every(Array.isArray)
  return isCut && anchor === anchorAt(messages, Number(from)) ? (stored as Cut) : noCut
}

function anchorAt(messages: readonly Message[], index: number): string {
  const message = messages[index]
  return index === 0 || !message ? '' : hashOf(message)
}

const hashOf = /* @__PURE__ */ onceFor((message: Message) => hash(JSON.stringify(message)))

/** Returns a cut that begins at a place. */
export function cutAt({ run, indexes }: LongRequest, place: number, cut: Cut, summary = cut.summary): Cut {
  const from = indexes[place] ?? 0
  const short = Object.fromEntries(Object.entries(cut.short).filter(([index]) => Number(index) >= from))
  return withoutUndefined({ from, anchor: anchorAt(run.messages, from), short, summary })
}

/** Returns the place at which a cut begins. */
export function startOf({ messages, indexes }: LongRequest, { from }: Cut): number {
  const place = indexes.findIndex((index) => index >= from)
  return Math.max(openingOf(messages), place < 0 ? messages.length : place)
}

/** Returns what a cut shows of a history. The same cut shows the same messages. */
export function shownWith(request: LongRequest, cut: Cut): readonly Message[] {
  const { messages, indexes, task, showPart } = request
  const opening = openingOf(messages)
  const start = startOf(request, cut)
  if (start === opening && Object.keys(cut.short).length === 0) return messages
  const last = messages.findLastIndex((message, place) => place < start && isUser(message))
  // Exchanges before the run are left out whole, unless an earlier run wrote the summary, within its own steps.
  const isWhole = (task < 0 || task >= start) && messages[start]?.role === 'user'
  const staying = isWhole ? [] : [...new Set([Math.min(task, last), last])].filter((place) => place >= 0)
  const users = staying.map((place) => messages[place] as UserMessage)
  const rest = messages.slice(start)
  if (cut.summary !== undefined && users.length === 0) {
    const first = rest.findIndex(isUser)
    if (first >= 0) rest.splice(first, 1, ...joined([rest[first] as UserMessage], cut.summary))
  }
  return [
    ...messages.slice(0, opening),
    ...(users.length > 0 ? joined(users, cut.summary) : []),
    ...rest.map((message, at) => {
      const short = message.role === 'tool' && cut.short[String(indexes[start + at])]
      return (short && showPart?.(messages, start + at, short)) || message
    }),
  ]
}

/**
 * User messages in one, since many servers take no two in a row, with a summary behind them. Those with files stay apart:
 * the files have their places.
 */
function joined(users: readonly UserMessage[], summary: string | undefined): readonly UserMessage[] {
  const [first, second] = users as readonly [UserMessage, UserMessage?]
  const canJoin =
    second && typeof first.content === 'string' && typeof second.content === 'string' && !second.media
  if (!canJoin && summary === undefined) return users
  const known = joinedBefore(first)
  if (!known.made || known.last !== second || known.summary !== summary) {
    const said = [...(canJoin ? [String(second.content)] : []), ...(summary ? [summaryHead + summary] : [])]
    const text = `\n\n${said.join('\n\n')}`
    const { content } = first
    const made = {
      ...first,
      ...(second?.taintedBy && { taintedBy: second.taintedBy }),
      content: typeof content === 'string' ? content + text : [...content, { type: 'text', text }],
    }
    origins.set(made, origins.get(first) ?? first)
    Object.assign(known, { last: second, summary, made })
  }
  return [known.made as UserMessage, ...(canJoin ? [] : users.slice(1))]
}

interface Joined {
  last: UserMessage | undefined
  summary: string | undefined
  made: UserMessage
}

/** The last form of a message that was joined with others: it is serialized once. */
const joinedBefore = /* @__PURE__ */ onceFor((_first: UserMessage): Partial<Joined> => ({}))

const summaryHead = '[Summary of what came before the next messages]\n'

/** The bounds of one request, in estimated tokens and in messages. */
export interface Bounds {
  /** A request with more is shortened. */
  readonly startTokens: number
  /** A request with more is not sent. */
  readonly maxTokens: number
  /** The tokens that are left of a request that is shortened. */
  readonly keepTokens: number
  readonly maxMessages?: number | undefined
  /** The option that sets `maxTokens`, for the error. */
  readonly option: string
}

/** Moves a cut when a request is too long. */
export type Shorten = (request: LongRequest, cut: Cut, bounds: Bounds) => Cut | Promise<Cut>

interface KeptCuts {
  /** The name of the cut in `RunState.kept`. */
  readonly key?: string
  /** The cuts that are not stored yet. */
  readonly moved?: WeakMap<RunView, Cut>
  readonly showPart?: ShowPart
}

interface Shortening extends Middleware {
  beforeModel(
    call: StepRequest,
    run: RunView,
  ): Partial<StepRequest> | undefined | Promise<Partial<StepRequest>>
  afterModel(reply: StepReply, call: StepRequest, run: RunView): StepReply | undefined
}

/** What was learned of models. It is stored, so that another process shortens the same requests in the same way. */
interface Learned {
  /** The tokens that servers count for an estimated one, by the names of models. */
  readonly ratios?: Readonly<Record<string, number>>
  /** The windows that servers have told, by the names of models. */
  readonly windows?: Readonly<Record<string, number>>
  /** The tokens of computed instructions. */
  readonly instructions?: number
}

/** Returns what a middleware has stored. A stored state may come from anywhere. */
function learnedIn({ kept }: RunView, key: string): Learned {
  return Object(kept[key])
}

/** Returns the window that the server of a model has told this run. */
export function windowTold({ name }: ChatModel, run: RunView, key: string): number | undefined {
  const told = Object(learnedIn(run, key).windows)[name]
  return typeof told === 'number' ? told : undefined
}

/** Estimates requests as the process did that made the last one. */
export function recall(key: string, { model }: StepRequest, run: RunView): void {
  const { ratios, instructions } = learnedIn(run, key)
  learnRatio(model, 1, Number(Object(ratios)[model.name]))
  if (typeof instructions === 'number') sentBefore.set(run, instructions)
}

/** Learns from a reply. Returns what a middleware keeps from now on. */
export function learn(key: string, reply: StepReply, call: StepRequest, run: RunView): Learned {
  const { inputTokens } = reply.tokens ?? {}
  const { model } = call
  const before = learnedIn(run, key)
  if (inputTokens) learnRatio(model, estimateFixed(call, run) + estimateMessages(call.messages), inputTokens)
  const ratio = ratioOf(model)
  const isKnown = inputTokens && (ratio !== 1 || before.ratios)
  const window = windows.get(model)
  return withoutUndefined({
    ratios: isKnown ? { ...before.ratios, [model.name]: ratio } : before.ratios,
    windows: window ? { ...before.windows, [model.name]: window } : before.windows,
    instructions: typeof call.instructions === 'function' ? estimateInstructions(call, run) : undefined,
  })
}

/** Returns a reply with what a middleware keeps, if there is something. */
export function keeping(key: string, reply: StepReply, own: object): StepReply | undefined {
  return Object.keys(own)[0] ? { ...reply, kept: { ...reply.kept, [key]: { ...own } } } : undefined
}

/** Creates a middleware that shortens histories, and keeps its cut in the state. */
export function shorteningWith(
  name: string,
  boundsOf: (call: StepRequest, run: RunView) => Bounds | undefined,
  shorten: Shorten,
  { key = name, moved = new WeakMap(), showPart }: KeptCuts = {},
): Shortening {
  return {
    name,
    beforeModel(call, run) {
      recall(key, call, run)
      const bounds = boundsOf(call, run)
      const cut = moved.get(run) ?? cutIn(run.kept[key], run)
      if (!bounds && cut === noCut) return undefined
      const request = toLongRequest(call, run, showPart)
      const messages = shownWith(request, cut)
      const isLong =
        bounds &&
        (request.tokensOf(messages) > bounds.startTokens ||
          messages.length > (bounds.maxMessages ?? messages.length))
      if (!isLong) return messages === call.messages ? undefined : { messages }
      return chain(shorten(request, cut, bounds), (shorter) => {
        const shown = shownWith(request, shorter)
        if (shorter !== cut) {
          moved.set(run, shorter)
          tellTrimmed(name, request, shown)
        }
        return { messages: shown }
      })
    },
    afterModel(reply, call, run) {
      const { from, anchor, summary, short } = moved.get(run) ?? cutIn(run.kept[key], run)
      moved.delete(run)
      const isWhole = from === 0 && Object.keys(short).length === 0
      const cut = isWhole ? {} : { from, anchor, summary, short }
      return keeping(key, reply, withoutUndefined({ ...cut, ...learn(key, reply, call, run) }))
    },
  }
}

/** Returns the bounds of a request to a model with this window. */
export function boundsIn(
  window: number,
  settings: StepRequest['settings'],
  most = Number.POSITIVE_INFINITY,
): Bounds {
  const maxTokens = Math.min(most, roomIn(window, settings))
  return {
    startTokens: maxTokens,
    maxTokens,
    keepTokens: maxTokens / 2,
    option: 'contextTokens',
  }
}

/** Leaves out the oldest messages, down to what is kept. */
export const trim: Shorten = (request, cut, bounds) => {
  const place = placeToCut(request, cut, bounds)
  return place === undefined ? cut : cutAt(request, place, cut)
}

/** Returns the place from which on the newest messages are kept; undefined when no older ones are left. */
export function placeToCut(
  request: LongRequest,
  cut: Cut,
  { keepTokens, maxTokens, maxMessages = Number.POSITIVE_INFINITY }: Bounds,
): number | undefined {
  const { messages, task, fixed, tokensOf } = request
  // Long instructions and tools must not make each step a cut.
  const most = Math.max(keepTokens, fixed + (maxTokens - fixed) / 2)
  const keepMessages = maxMessages / 2
  return placeThatFits(messages, task, startOf(request, cut), (place) => {
    const kept = shownWith(request, cutAt(request, place, cut))
    return tokensOf(kept) <= most && kept.length <= keepMessages
  })
}

/** The tokens of a window that a request fills at most: the reply needs some as well. */
function roomIn(window: number, { max_tokens: reply = 0 }: StepRequest['settings']): number {
  return Math.floor(Math.max(window / 10, Math.min(0.8 * window, window - Number(reply))))
}

function isUser(message: Message): message is UserMessage {
  return message.role === 'user'
}

/** The number of instructions at the start. */
function openingOf(messages: readonly Message[]): number {
  const place = messages.findIndex((message) => !isInstruction(message))
  return Math.max(0, place)
}

export function tellTrimmed(by: string, { messages, tokensOf, run }: Sized, shown: readonly Message[]): void {
  const tokens = { before: tokensOf(messages), after: tokensOf(shown) }
  run.emit({ type: 'context-trimmed', by, before: messages.length, after: shown.length, tokens })
}
