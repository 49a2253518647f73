import {
  CapstanError,
  type ChatModel,
  type ContentPart,
  type ErrorCode,
  type Message,
  type ModelDelta,
  type ModelReply,
  type ModelRequest,
  type ModelSink,
  type ToolDefinition,
} from '@capstan/core'
import { isRecord, Redactor, redacted, splitIdempotencyKey, textOf } from '@capstan/core/internal'
import { diff } from '../diff.js'
import { type RecordedDelta, type RecordedReply, withoutRunId, withRunId } from './format.js'
import { type Exchange, type RunRecording, readRuns } from './read.js'
import { splitSystemMessage } from './recorder.js'

/** A model whose replies come from a recording. */
export interface ReplayedModel extends ChatModel {
  /**
   * Checks that every recorded request was made.
   * @throws CapstanError `conflict`, naming the requests that were not made
   */
  assertUsedUp(): void
}

/** A replayed model that can distinguish recorded failures from other errors. */
interface RunReplayModel extends ReplayedModel {
  /** Whether this model threw the error to repeat a recorded failure. */
  isRecorded(error: Error): boolean
}

/**
 * Creates a model whose replies come from a recording. Requests can be made in any order, and the reply to each
 * recorded request is returned once. The model's name, and whether the reply is streamed, are not compared. A request
 * that is not in the recording fails with `not_found` and a diff from the closest recorded request.
 * @throws CapstanError immediately if the file is not a recording or contains no requests
 */
export function replayModel(file: string): ReplayedModel {
  const runs = readRuns(file)
  if (runs.some(({ exchanges }) => exchanges.length > 0)) return replayRuns(runs, file)
  const message = `"${file}" contains no model requests. Record it again.`
  throw new CapstanError('invalid_request', message, { evidence: { file } })
}

/** Creates a replayed model from recorded runs. `file` is used only in errors. */
export function replayRuns(runs: readonly RunRecording[], file: string): RunReplayModel {
  const recorded = new RecordingRedactor()
  const exchanges = runs.flatMap((run) => run.exchanges.map((one) => redactExchange(one, recorded)))
  const left = new Set(exchanges)
  const isIt = createMatcher()
  const failures = new WeakSet<Error>()
  return {
    name: exchanges[0]?.model ?? 'replay',
    structuredOutput: exchanges.some(({ settings }) => settings.response_format !== undefined),
    async complete(request, sink) {
      request.signal.throwIfAborted()
      const { runId, at } = splitIdempotencyKey(request.idempotencyKey)
      const asked = requestContent(request, (value) => recorded.once(value, runId))
      const found = findExchange([...left], at, (one) => isIt(one, asked))
      if (!found) {
        const isRepeated = exchanges.some((one) => isIt(one, asked))
        throw unknownRequestError(asked, { at, file, left: [...left], isRepeated })
      }
      left.delete(found)
      return giveReply(found, request, sink, (error) => failures.add(error))
    },
    assertUsedUp() {
      if (left.size === 0) return
      const places = [...left].map(({ at }) => at).join(', ')
      const message = `${left.size} of the ${exchanges.length} requests in "${file}" were not made: ${places}.`
      throw new CapstanError('conflict', message, { evidence: { file, left: left.size } })
    },
    isRecorded: (error) => failures.has(error),
  }
}

/**
 * Returns the reply of a recorded exchange, after streaming its deltas and reporting its retries.
 * @throws the recorded failure
 */
export function giveReply(
  found: Exchange,
  request: ModelRequest,
  sink: ModelSink | undefined,
  onFailure?: (error: CapstanError) => void,
): ModelReply {
  const { runId } = splitIdempotencyKey(request.idempotencyKey)
  const { reply, failure } = withRunId({ reply: found.reply, failure: found.failure }, runId)
  const told = request.stream ? sink : retriesOnly(sink)
  for (const retry of (reply ?? failure)?.retries ?? [])
    told?.({ type: 'retry', ...retry, code: retry.code as ErrorCode })
  if (reply) return streamReply(reply, told)
  const error = toError(found.at, failure)
  if (failure) onFailure?.(error)
  throw error
}

/** Returns a function that checks whether a request matches a recorded one. */
export function requestMatcher(): (one: Exchange, request: ModelRequest) => boolean {
  const recorded = new RecordingRedactor()
  const isIt = createMatcher()
  return (one, request) => {
    const { runId } = splitIdempotencyKey(request.idempotencyKey)
    return isIt(
      redactExchange(one, recorded),
      requestContent(request, (value) => recorded.once(value, runId)),
    )
  }
}

/**
 * Finds the exchange that a request matches. Prefers one with the same key, but accepts one with a different key,
 * because the order of concurrent requests may differ.
 */
function findExchange(
  left: readonly Exchange[],
  at: string,
  isIt: (one: Exchange) => boolean,
): Exchange | undefined {
  return left.find((one) => one.at === at && isIt(one)) ?? left.find(isIt)
}

interface UnknownRequest {
  readonly at: string
  readonly file: string
  readonly left: readonly Exchange[]
  /** Whether the recording contains the request, but its reply has already been returned. */
  readonly isRepeated: boolean
}

function unknownRequestError(
  asked: RequestContent,
  { at, file, left, isRepeated }: UnknownRequest,
): CapstanError {
  const evidence = { file, at }
  if (isRepeated) {
    const message = `The request at ${at} was made more often than it was recorded in "${file}".`
    return new CapstanError('not_found', message, { evidence })
  }
  const near = closestExchange(left, asked, at)
  if (!near) {
    const message = `"${file}" contains no more requests, but one was made at ${at}.`
    return new CapstanError('not_found', message, { evidence })
  }
  const message = `The request at ${at} is not in "${file}". It differs from the one recorded at ${near.at}:\n${diff(recordedContent(near), asked)}\nIf the change is intended, record it again.`
  const sides = { expected: recordedContent(near), seen: asked }
  return new CapstanError('not_found', message, { evidence: { ...evidence, ...sides } })
}

/**
 * Returns the exchange to compare a request with. This is the exchange with the same key or, if there is none, the one
 * with the most matching messages at the start.
 */
function closestExchange(left: readonly Exchange[], asked: RequestContent, at: string): Exchange | undefined {
  const likeness = (one: Exchange) => {
    const differs = one.messages.findIndex((message, index) => !matches(message, asked.messages[index]))
    return differs === -1 ? one.messages.length : differs
  }
  return left.find((one) => one.at === at) ?? left.toSorted((a, b) => likeness(b) - likeness(a))[0]
}

function toError(at: string, failure: Exchange['failure']): CapstanError {
  const {
    code = 'truncated',
    message = `The recording ends before the reply at ${at}.`,
    retries: _,
    ...details
  } = failure ?? {}
  return new CapstanError(code as ErrorCode, message, details)
}

function streamReply(
  { deltas, retries: _, ...reply }: RecordedReply,
  sink: ModelSink | undefined,
): ModelReply {
  for (const delta of deltas ?? replyDeltas(reply.message)) sink?.(toDelta(delta))
  return reply
}

/** Returns a reply's text and calls as deltas, for a reply that was not streamed when it was recorded. */
function replyDeltas({
  content,
  tool_calls: calls = [],
}: RecordedReply['message']): readonly RecordedDelta[] {
  const text = textOf(content)
  const called = calls.map(({ id, function: { name, arguments: args } }, call) => ({
    call,
    id,
    name,
    arguments: args,
  }))
  return [...(text === '' ? [] : [text]), ...called]
}

function toDelta(delta: RecordedDelta): ModelDelta {
  if (typeof delta === 'string') return { type: 'text', text: delta }
  if ('reasoning' in delta) return { type: 'reasoning', text: delta.reasoning }
  const { call: index, ...called } = delta
  return { type: 'call', index, ...called }
}

function retriesOnly(sink: ModelSink | undefined): ModelSink | undefined {
  return sink && ((delta) => delta.type === 'retry' && sink(delta))
}

/** The fields of a request that are compared. */
interface RequestContent
  extends Pick<Exchange, 'system' | 'messages' | 'tools' | 'toolChoice' | 'settings'> {}

function requestContent(
  { messages: all, tools, toolChoice = 'auto', settings = {} }: ModelRequest,
  recorded: <T extends object>(value: T) => T,
): RequestContent {
  const { system, messages } = splitSystemMessage(all)
  return {
    ...recorded({ system }),
    messages: messages.map(recorded).map(withoutShownFiles),
    // The array is redacted as an object, so that it can be cached by identity as well.
    tools: redactTools(tools, recorded),
    ...recorded({ toolChoice, settings }),
  }
}

/**
 * Removes the files that a user message shows. Recordings do not contain the files' bytes, but the message's text names
 * the files.
 */
function withoutShownFiles(message: Message): Message {
  const { role, content, media } = message
  if (role !== 'user' || !media || !Array.isArray(content)) return message
  return { ...message, content: content.filter((part) => !isShownFile(part)) }
}

/** Whether a part shows a file as base64, which may be redacted. */
function isShownFile(part: ContentPart): boolean {
  return part.type !== 'text' && JSON.stringify(part).includes('base64')
}

/**
 * Redacts an exchange again, because a secret that is known now may not have been known when the exchange was recorded.
 */
function redactExchange(one: Exchange, recorded: RecordingRedactor): Exchange {
  const again = <T extends object>(value: T) => recorded.once(value, '')
  const { system, toolChoice, settings } = one
  return {
    ...one,
    ...again({ system, toolChoice, settings }),
    messages: one.messages.map(again).map(withoutShownFiles),
    tools: redactTools(one.tools, again),
  }
}

const wrappedTools = new WeakMap<readonly ToolDefinition[], { readonly tools: readonly ToolDefinition[] }>()

/** Redacts tools as an object with the key `tools`, because the redactor recognizes schemas by this key. */
function redactTools(
  tools: readonly ToolDefinition[],
  recorded: <T extends object>(value: T) => T,
): readonly ToolDefinition[] {
  const known = wrappedTools.get(tools) ?? { tools }
  wrappedTools.set(tools, known)
  return recorded(known).tools
}

function recordedContent({ system, messages, tools, toolChoice, settings }: Exchange): RequestContent {
  return JSON.parse(JSON.stringify({ system, messages, tools, toolChoice, settings }))
}

/**
 * Returns a function that checks whether a request matches a recorded one. The function remembers which objects are
 * equal, because later requests contain the same objects.
 */
function createMatcher(): (one: Exchange, asked: RequestContent) => boolean {
  const known = new WeakMap<object, object>()
  const isSame = (recorded: object, live: object | undefined) => {
    if (live === undefined) return false
    if (known.get(recorded) === live) return true
    const is = matches(recorded, live)
    if (is) known.set(recorded, live)
    return is
  }
  return (one, asked) =>
    one.messages.length === asked.messages.length &&
    one.messages.every((message, at) => isSame(message, asked.messages[at])) &&
    matches(one.system, asked.system) &&
    isSame(one.tools, asked.tools) &&
    matches(one.toolChoice, asked.toolChoice) &&
    matches(one.settings, asked.settings)
}

/**
 * Whether a value matches the recorded one. Redacted text matches any text without whitespace or quotes. Ignores the
 * order of keys.
 */
export function matches(recorded: unknown, live: unknown): boolean {
  if (typeof recorded === 'string') return typeof live === 'string' && matchesText(recorded, live)
  if (Array.isArray(recorded))
    return (
      Array.isArray(live) &&
      live.length === recorded.length &&
      recorded.every((one, at) => matches(one, live[at]))
    )
  if (!isRecord(recorded)) return recorded === live
  if (!isRecord(live)) return false
  const names = Object.keys(recorded)
  return (
    names.length === Object.keys(live).length &&
    names.every((name) => Object.hasOwn(live, name) && matches(recorded[name], live[name]))
  )
}

/**
 * Matches text that the recording may have redacted. The length is limited, because longer text would hide changes
 * around it.
 */
const secretGap = /^[^\s"]{0,4000}$/

function matchesText(recorded: string, live: string): boolean {
  if (recorded === live) return true
  const parts = recorded.split(redacted)
  const last = parts.length - 1
  if (last === 0) return false
  let at = 0
  for (const [index, part] of parts.entries()) {
    const found = index === 0 || index === last ? partIndex(live, part, index === 0) : live.indexOf(part, at)
    if (found < at || !secretGap.test(live.slice(at, found))) return false
    at = found + part.length
  }
  return true
}

/** Returns the index of `part`, which must be at the start or end of the text. Returns -1 if it is not. */
function partIndex(text: string, part: string, isStart: boolean): number {
  if (isStart) return text.startsWith(part) ? 0 : -1
  return text.endsWith(part) ? text.length - part.length : -1
}

/** Redacts values in the same way as the recording, so that they can be compared with it. */
export class RecordingRedactor {
  readonly #redactor = new Redactor()
  readonly #known = new WeakMap<object, { readonly runId: string; readonly value: unknown }>()

  value<T>(value: T, runId: string): T {
    return withoutRunId(this.#redactor.value(value), runId)
  }

  /** Redacts an object and remembers the result, because later requests contain the same objects. */
  once<T extends object>(value: T, runId: string): T {
    const known = this.#known.get(value)
    if (known?.runId === runId) return known.value as T
    const made = this.value(value, runId)
    this.#known.set(value, { runId, value: made })
    return made
  }
}
