import { CapstanError } from '../errors.js'
import type { Compact, History } from '../run/run-context.js'
import { callsOf, type Message, textOf, type UserMessage } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import { isRequest } from './show-images.js'

export interface SummaryOptions {
  /** From how many tokens on, as they are estimated, a history is summarised; a request for a summary has no more, or 1000. */
  readonly maxTokens: number
  /** Tokens of the newest messages that stay as they are. Default: half of `maxTokens`. */
  readonly keepTokens?: number
  /** Who writes the summary. Default: the model that is asked. */
  readonly model?: ChatModel
  /** What the summary is to keep. Default: goals, decisions, facts, open questions, ids. */
  readonly instructions?: string
}

/**
 * Puts a summary in the place of the oldest exchanges, at the head of the first message of the user that is kept.
 * It stays until the history has grown too long with it; the next one is written from it and what came after. What is
 * too long for one request is summarised part by part. A history whose last exchange alone is too long is left as it is.
 * The requests count for the run's usage and limits. The 1000 summaries that were used last are remembered, by the
 * words that they cover.
 * @throws CapstanError `invalid_response` for an empty summary, and what `History.ask` throws; the next request tries again
 */
export function summarizeHistory(options: SummaryOptions): Compact {
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
    const covered = messages.slice(known, cut).filter(({ role }) => role !== 'system')
    const writing = { ...options, maxTokens: Math.max(maxTokens, 1000), history, written: summaries }
    const summary = await summarizeInChunks(before, covered.map(toLine), writing)
    summaries.set(digests[cut] ?? '', summary)
    return withSummary(messages, cut, summary)
  }
}

/** Where the messages of the user are, after the first words of the conversation. */
function laterRequests(messages: readonly Message[]): number[] {
  const first = openingOf(messages).length
  return messages.flatMap((message, at) => (at > first && isRequest(message) ? [at] : []))
}

/** The words of the system that a conversation may begin with. */
function openingOf(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return messages.slice(0, Math.max(0, first))
}

/** The conversation from one message of the user on, with what was before in short. */
function withSummary(messages: readonly Message[], at: number, summary: string): readonly Message[] {
  const { content, ...first } = messages[at] as UserMessage
  const head = `[What was said before, in short]\n${summary}\n\n[Now]\n`
  const begun: Message =
    typeof content === 'string'
      ? { ...first, content: head + content }
      : { ...first, content: [{ type: 'text', text: head }, ...content] }
  return [...openingOf(messages), begun, ...messages.slice(at + 1)]
}

/** How summaries are written. */
interface Writing {
  readonly history: Pick<History, 'ask' | 'estimate'>
  /** Tokens that one request may have. */
  readonly maxTokens: number
  readonly model?: ChatModel | undefined
  readonly instructions?: string | undefined
  /** What was written before, by what it was written from: a part is not written twice when a later one fails. */
  readonly written: LruCache
}

/**
 * What lines come to in short, with what is known of those before them: in one request where they fit, else part by
 * part, each summary written from the one before it. @throws CapstanError `invalid_response` for an empty one
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
    // One that is as long as what it stands for would leave no room for more.
    summary = headOf(text, (head) => tokensOf(head) <= maxTokens / 2)
    left = rest
  } while (left.length > 0)
  return summary
}

async function write(system: string, content: string, { history, model, written }: Writing): Promise<string> {
  const key = await digestOf(`summary of\n${content}`)
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
  `Summarise the conversation you are given, for yourself to go on with: what is wanted, what was decided, facts and ids that were found, what is still open. Short sentences, no introduction, ${words} words at most.`

/** Whether a text has room. */
type Fits = (text: string) => boolean

/** The lines that fit one request, and those that are left. A line that alone does not fit is cut. */
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

/** The longest beginning of a text that fits, found by halves: one character at least, and never half of one. */
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
 * For each place, a digest of the words of all messages before it: the same for one conversation however often it is
 * loaded, and another for any other. What one user was told must not be shown to another: hence no shorter hash.
 */
async function prefixHashes(messages: readonly Message[]): Promise<readonly string[]> {
  const digests = ['']
  for (const message of messages) {
    const before = digests.at(-1) ?? ''
    const known = after.get(message)
    const digest = known?.before === before ? known.digest : await digestOf(`${before}\n${toLine(message)}`)
    after.set(message, { before, digest })
    digests.push(digest)
  }
  return digests
}

/** By message, as it was met last: each is hashed once while a conversation grows. */
const after = new WeakMap<Message, { readonly before: string; readonly digest: string }>()

/** SHA-256, in hex. */
async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Texts by key, the ones that were used last: a place that never grows beyond its bound. */
export class LruCache {
  readonly #texts = new Map<string, string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): string | undefined {
    const text = this.#texts.get(key)
    if (text !== undefined) this.set(key, text)
    return text
  }

  set(key: string, text: string): void {
    this.#texts.delete(key)
    this.#texts.set(key, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > this.#most && oldest !== undefined) this.#texts.delete(oldest)
  }
}

/** A message as one line of a conversation that is told. */
function toLine(message: Message): string {
  const calls = callsOf(message).map((call) => `[calls ${call.function.name} ${call.function.arguments}]`)
  return `${message.role}: ${[textOf(message.content), ...calls].join(' ')}`
}
