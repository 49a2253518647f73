import { CapstanError } from '../../errors.js'
import { LruCache, sha256 } from '../../json.js'
import { callsOf, fileLineOf, isInstruction, type Message, mediaOf, textOf } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'
import {
  type Cut,
  cutAt,
  type LongRequest,
  placeToCut,
  type Shorten,
  shownWith,
  startOf,
} from './shorten-history.js'

export interface SummaryOptions {
  /**
   * A longer request is shortened: messages, instructions, tools and pictures together. Requests for summaries have at
   * most this many, or 1000. Default: 0.8 of the context window.
   */
  readonly maxTokens?: number
  /** The tokens of the newest messages that stay unchanged. Default: half of `maxTokens`. */
  readonly keepTokens?: number
  /** The model that writes the summary. Default: the model of the request. */
  readonly model?: ChatModel
  /** Instructions for the summary. Default: keep goals, decisions, facts, open questions and ids. */
  readonly instructions?: string
}

/** Replaces the oldest messages by a summary. */
export function summarizing({ model: given, instructions }: SummaryOptions): Shorten {
  const written = new LruCache(1000)
  return async (request, cut, bounds) => {
    const { messages, tokensOf } = request
    const model = given ?? request.call.model
    const maxTokens = Math.max(bounds.maxTokens, 1000)
    const digests = await prefixHashes(messages, model.name)
    const before = cut.from === 0 ? knownCut(request, cut, digests, written) : cut
    if (before !== cut && tokensOf(shownWith(request, before)) <= bounds.maxTokens) return before
    const place = placeToCut(request, before, bounds)
    if (place === undefined) return before
    const covered = messages.slice(startOf(request, before), place)
    const said = covered.filter((message) => !isInstruction(message))
    const task = messages[request.task]
    // What was left out before without a summary may have been what is wanted.
    if (before.summary === undefined && task && !said.includes(task)) said.unshift(task)
    const writing = { request, maxTokens, model, instructions, written }
    const text = await summarizeInChunks(before.summary, said.map(toLine), writing)
    const ids = new Set([...idsIn(before.summary ?? ''), ...said.flatMap(artifactsOf)])
    const lost = [...ids].filter((id) => !text.includes(id)).slice(-mostIds)
    const summary = lost.length > 0 ? `${text}\nArtifacts: ${lost.join(', ')}` : text
    written.set(digests[place] ?? '', summary)
    return cutAt(request, place, before, summary)
  }
}

/** Returns the cut with the last summary that was written for the start of a conversation, such as a session. */
function knownCut(request: LongRequest, cut: Cut, digests: readonly string[], written: LruCache): Cut {
  const place = digests.findLastIndex((digest, at) => at > 0 && written.get(digest) !== undefined)
  return place < 0 ? cut : cutAt(request, place, cut, written.get(digests[place] ?? ''))
}

/** The newest artifacts count: a summary has to end. */
const mostIds = 100

function artifactsOf(message: Message): readonly string[] {
  return [...idsIn(textOf(message.content)), ...mediaOf(message).flatMap(({ artifact }) => artifact ?? [])]
}

function idsIn(text: string): readonly string[] {
  return text.match(/\b(?:img|aud|txt|file)_[a-z2-7]{8,52}\b/g) ?? []
}

/** The settings for writing summaries. */
interface Writing {
  readonly request: LongRequest
  /** The maximum tokens of one request. */
  readonly maxTokens: number
  readonly model: ChatModel
  readonly instructions: string | undefined
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
  const { request, maxTokens, instructions } = writing
  const tokensOf = (content: string) => request.tokensOf([{ role: 'user', content }]) - request.fixed
  const system = instructions ?? usual(Math.min(1000, Math.floor(maxTokens / 8)))
  let summary = before
  let left = lines
  do {
    const earlier = summary === undefined ? [] : [`before: ${summary}`]
    const taken = tokensOf(system) + tokensOf(earlier.join(''))
    const { part, rest } = takeWhileFits(left, Math.max(maxTokens - taken, maxTokens / 4), tokensOf)
    const text = await write(system, [...earlier, ...part].join('\n'), writing)
    // A summary as long as its source would leave no space for more.
    summary = headOf(text, (head) => tokensOf(head) <= maxTokens / 4)
    left = rest
  } while (left.length > 0)
  return summary
}

async function write(system: string, content: string, { request, model, written }: Writing): Promise<string> {
  const key = await sha256(`summary of\n${model.name}\n${content}`)
  const known = written.get(key)
  if (known !== undefined) return known
  const messages: readonly Message[] = [
    { role: 'system', content: system },
    { role: 'user', content },
  ]
  const summary = (await request.call.ask(messages, model)).trim()
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
async function prefixHashes(messages: readonly Message[], name: string): Promise<readonly string[]> {
  const digests = [name]
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
