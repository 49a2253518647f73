import { chain } from '../async.js'
import { CapstanError } from '../errors.js'
import { LruCache, sha256 } from '../json.js'
import { checkModel } from '../model/check-model.js'
import { checkOptionNames, checkRequiredOption, kindOf, type OptionKind } from '../option-names.js'
import type { Middleware } from '../run/middleware.js'
import { type Compact, compacted, type History, type HistoryBounds, trimming } from '../run/trim-messages.js'
import {
  callsOf,
  fileLineOf,
  isInstruction,
  type Message,
  textOf,
  type UserMessage,
} from '../types/message.js'
import type { ChatModel } from '../types/model.js'

/**
 * Sends each request with the history that `compact` returns. A `context-trimmed` event reports a shorter one.
 * @throws CapstanError `invalid_request` for a value that is not a function
 */
export function compactHistory(compact: Compact): Middleware {
  checkRequiredOption({ compact }, { compact: 'a function' }, { of: 'compactHistory', required: 'compact' })
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

export interface SummaryOptions {
  /** Summarizes a history with more estimated tokens. Requests for summaries have at most this many, or 1000. */
  readonly maxTokens: number
  /** The tokens of the newest messages that stay unchanged. Default: half of `maxTokens`. */
  readonly keepTokens?: number
  /** The model that writes the summary. Default: the model of the request. */
  readonly model?: ChatModel
  /** Instructions for the summary. Default: keep goals, decisions, facts, open questions and ids. */
  readonly instructions?: string
}

/**
 * Replaces the oldest exchanges of each request by a summary, at the start of the first user message that is
 * kept. The summary stays until the history is too long again; the next one is written from it and the messages after
 * it. Text that is too long for one request is summarized in chunks. A history whose last exchange alone is too long
 * stays unchanged. The requests count for the run's usage and limits. The 1000 most recently used summaries are cached
 * by the messages they cover. An empty summary is an error of the request, `invalid_response`, as are errors of
 * `History.ask`; the next request retries.
 * @throws CapstanError `invalid_request` without `maxTokens`, for an unknown option, or a value of another kind
 */
export function summarizeHistory(options: SummaryOptions): Middleware {
  checkRequiredOption(options, optionKinds, {
    of: 'summarizeHistory',
    required: 'maxTokens',
  })
  if (options.model !== undefined) checkModel(options.model, 'model of summarizeHistory')
  return compactHistory(summarizer(options))
}

const optionKinds: Readonly<Record<keyof SummaryOptions, OptionKind>> = {
  maxTokens: 'a number from 0 up',
  keepTokens: 'a number from 0 up',
  model: true,
  instructions: 'a string',
}

/** Returns the function that summarizes a history. */
export function summarizer(options: SummaryOptions): Compact {
  const summaries = new LruCache(1000)
  return async (history) => {
    const { messages, estimate } = history
    const { maxTokens, keepTokens = maxTokens / 2 } = options
    if (estimate(messages) <= maxTokens) return messages
    const starts = laterRequests(messages)
    const digests = await prefixHashes(messages)
    const summaryBefore = (at: number) => summaries.get(digests[at] ?? '')
    const known = starts.findLast((at) => summaryBefore(at) !== undefined) ?? 0
    const before = summaryBefore(known)
    const shown = before === undefined ? messages : withSummary(messages, known, before)
    const isEnough = (at: number) => at > known && estimate(messages.slice(at)) <= keepTokens
    const cut = starts.find(isEnough) ?? starts.at(-1) ?? 0
    if (cut <= known || estimate(shown) <= maxTokens) return shown
    const covered = messages.slice(known, cut).filter((message) => !isInstruction(message))
    const writing = { ...options, maxTokens: Math.max(maxTokens, 1000), history, written: summaries }
    const summary = await summarizeInChunks(before, covered.map(toLine), writing)
    summaries.set(digests[cut] ?? '', summary)
    return withSummary(messages, cut, summary)
  }
}

/** The indexes of user messages after the first message of the conversation. */
function laterRequests(messages: readonly Message[]): number[] {
  const first = openingOf(messages).length
  return messages.flatMap((message, at) => (at > first && message.role === 'user' ? [at] : []))
}

/** The instructions at the start of a conversation. */
function openingOf(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex((message) => !isInstruction(message))
  return messages.slice(0, Math.max(0, first))
}

/** Returns the conversation from one user message on, with a summary of the messages before it. */
function withSummary(messages: readonly Message[], at: number, summary: string): readonly Message[] {
  const { content, ...first } = messages[at] as UserMessage
  const head = `[What was said before, in short]\n${summary}\n\n[Now]\n`
  const begun: Message =
    typeof content === 'string'
      ? { ...first, content: head + content }
      : { ...first, content: [{ type: 'text', text: head }, ...content] }
  return [...openingOf(messages), begun, ...messages.slice(at + 1)]
}

/** The settings for writing summaries. */
interface Writing {
  readonly history: Pick<History, 'ask' | 'estimate'>
  /** The maximum tokens of one request. */
  readonly maxTokens: number
  readonly model?: ChatModel | undefined
  readonly instructions?: string | undefined
  /** Summaries by their source text, so that a chunk is not summarized twice when a later one fails. */
  readonly written: LruCache
}

/**
 * Summarizes lines, with the summary of those before them: in one request if they fit, otherwise in chunks, each
 * summary written from the one before it. @throws CapstanError `invalid_response` for an empty summary
 */
async function summarizeInChunks(
  before: string | undefined,
  lines: readonly string[],
  writing: Writing,
): Promise<string> {
  const { history, maxTokens, instructions } = writing
  const tokensOf = (content: string) => history.estimate([{ role: 'user', content }])
  const system = instructions ?? usual(Math.floor(maxTokens / 4))
  let summary = before
  let left = lines
  do {
    const earlier = summary === undefined ? [] : [`before: ${summary}`]
    const taken = tokensOf(system) + tokensOf(earlier.join(''))
    const { part, rest } = takeWhileFits(left, Math.max(maxTokens - taken, maxTokens / 4), tokensOf)
    const text = await write(system, [...earlier, ...part].join('\n'), writing)
    // A summary as long as its source would leave no space for more.
    summary = headOf(text, (head) => tokensOf(head) <= maxTokens / 2)
    left = rest
  } while (left.length > 0)
  return summary
}

async function write(system: string, content: string, { history, model, written }: Writing): Promise<string> {
  const key = await sha256(`summary of\n${content}`)
  const known = written.get(key)
  if (known !== undefined) return known
  const messages: readonly Message[] = [
    { role: 'system', content: system },
    { role: 'user', content },
  ]
  const summary = (await history.ask(messages, model)).trim()
  if (summary === '')
    throw new CapstanError('invalid_response', 'The model wrote an empty summary of the history.', {
      retryable: true,
    })
  written.set(key, summary)
  return summary
}

const usual = (words: number) =>
  `Summarise the conversation you are given, so that you can continue it: what is wanted, what was decided, facts and ids that were found, what is still open. Short sentences, no introduction, ${words} words at most.`

/** Whether a text fits a request. */
type Fits = (text: string) => boolean

/** Splits lines into those that fit one request and the rest. Truncates a line that alone does not fit. */
export function takeWhileFits(
  lines: readonly string[],
  room: number,
  tokensOf: (text: string) => number,
): { readonly part: readonly string[]; readonly rest: readonly string[] } {
  let left = room
  const past = lines.findIndex((line) => {
    left -= tokensOf(line)
    return left < 0
  })
  if (past < 0) return { part: lines, rest: [] }
  if (past > 0) return { part: lines.slice(0, past), rest: lines.slice(past) }
  const [line = '', ...others] = lines
  const head = headOf(line, (text) => tokensOf(text) <= room)
  return { part: [head], rest: [line.slice(head.length), ...others].filter((one) => one !== '') }
}

/** Returns the longest start of a text that fits, by binary search: at least one whole character. */
export function headOf(text: string, fits: Fits): string {
  if (fits(text)) return text
  let [low, high] = [1, text.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (fits(text.slice(0, middle))) low = middle
    else high = middle
  }
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(low - 1))
  return text.slice(0, isHalf ? (low > 1 ? low - 1 : 2) : low)
}

/**
 * Returns for each place a hash of all messages before it: the same for one conversation each time it is loaded. The
 * full SHA-256 is used, since a collision would show one user's summary to another.
 */
async function prefixHashes(messages: readonly Message[]): Promise<readonly string[]> {
  const digests = ['']
  for (const message of messages) {
    const before = digests.at(-1) ?? ''
    const known = after.get(message)
    const digest = known?.before === before ? known.digest : await sha256(`${before}\n${toLine(message)}`)
    after.set(message, { before, digest })
    digests.push(digest)
  }
  return digests
}

/** The hash up to each message: each message is hashed once while a conversation grows. */
const after = new WeakMap<Message, { readonly before: string; readonly digest: string }>()

/** Returns a message as one line of text. */
function toLine(message: Message): string {
  const calls = callsOf(message).map((call) => `[calls ${call.function.name} ${call.function.arguments}]`)
  return `${message.role}: ${[textOf(message.content) + fileLineOf(message), ...calls].join(' ')}`
}
