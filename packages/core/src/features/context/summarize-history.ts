import { idPattern } from '../../artifacts/artifact.js'
import { contentOf } from '../../artifacts/memory-artifacts.js'
import { toUtf8 } from '../../bytes.js'
import { CapstanError, codeOf } from '../../errors.js'
import { onceFor, setNewest } from '../../json.js'
import { calledIn, estimateMessages, ratioOf } from '../../run/estimate.js'
import { fileLineOf, isInstruction, type Message, mediaOf, textOf } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'
import {
  type Cut,
  cutAt,
  type LongRequest,
  learnRefusal,
  placeToCut,
  type Shorten,
  shownAt,
  shownWith,
  startOf,
  windowOf,
  withWindow,
} from './shorten-history.js'

export interface SummaryOptions {
  /**
   * Requests with more estimated tokens than this are shortened. Messages, instructions, tools and images all count.
   * Requests for summaries have at most this many tokens, or 1000 if that is more, and fit the window of the model that
   * writes them. Default: 0.8 of the context window.
   */
  readonly maxTokens?: number
  /**
   * The number of tokens that stay of a request, counted as for `maxTokens` and less than it, before the summary is
   * added. Default: half of `maxTokens`, or more if instructions and tools are long.
   */
  readonly keepTokens?: number
  /** The model that writes the summary. Default: the model of the request. */
  readonly model?: ChatModel
  /** Instructions for the summary. Default: keep goals, decisions, facts, open questions and ids. */
  readonly instructions?: string
}

/**
 * Returns a function that replaces the oldest messages with a summary. The keys of known summaries are hashes of the
 * summarized messages, so that a conversation finds its summary when it is loaded again. A request for a summary fits
 * the window of the model that writes it; its bound is in tokens of the request's model.
 */
export function summarizing({ model: given, instructions }: SummaryOptions): Shorten {
  const known = new Map<string, string>()
  const keep = (digest = '', text = '') => {
    setNewest(known, digest, text, 1000)
    return text
  }
  return async (request, cut, bounds) => {
    const { messages, tokensOf, fixed, call } = request
    const model = given ?? call.model
    const ratio = ratioOf(call.model)
    let [maxTokens, tried] = [Math.max(bounds.maxTokens, 1000), 0]
    const digests = await prefixDigests(messages, model.name)
    const last = cut.from === 0 ? digests.findLastIndex((digest) => known.get(digest)) : 0
    const before =
      last > 0
        ? cutAt(request, last, { ...cut, summary: keep(digests[last], known.get(digests[last] ?? '')) })
        : cut
    if (before !== cut && tokensOf(shownWith(request, before)) <= bounds.maxTokens) return before
    const place = placeToCut(request, before, bounds)
    if (place === undefined) return before
    const said = saidBefore(request, place, before)
    let { summary = '' } = before
    let rest = said.map(toLine).join('\n')
    do {
      const window = windowOf(model, model.contextTokens, cut)
      maxTokens = Math.min(maxTokens, (0.8 * ratio * window) / ratioOf(model))
      const system = instructions ?? usual(Math.min(1000, Math.floor(maxTokens / 8)))
      const opening = summary && `before: ${headOf(summary, maxTokens / 4, request)}\n`
      const room = maxTokens - tokensOf([{ role: 'system', content: system + opening }]) + fixed
      const content = opening + headOf(rest, Math.max(room, maxTokens / 4), request)
      const digest = await sha256(`${model.name}\n${content}`)
      const asked: Message[] = [
        { role: 'system', content: system },
        { role: 'user', content },
      ]
      let text: string
      try {
        text = known.get(digest) ?? (await call.ask(asked, model)).trim()
      } catch (error) {
        if (codeOf(error) !== 'context_length_exceeded') throw error
        learnRefusal(error, model, estimateMessages(asked))
        if (tried++ > 1) throw error
        maxTokens = 0.75 * (tokensOf(asked) - fixed)
        continue
      }
      if (!text) {
        const message = 'The model wrote an empty summary.'
        throw new CapstanError('invalid_response', message, { retryable: true })
      }
      keep(digest, text)
      // A longer summary would leave no room for what follows.
      summary = headOf(text, maxTokens / 4, request)
      rest = rest.slice(content.length - opening.length)
    } while (rest)
    const lost = idsOutside(summary, before, said)
    if (lost[0]) summary += `\nArtifacts: ${lost.join(', ')}`
    keep(digests[place], summary)
    return cutAt(request, place, withWindow({ ...before, summary }, model))
  }
}

/** Returns the messages to summarize: those that `before` shows ahead of a position. */
function saidBefore(request: LongRequest, place: number, before: Cut): readonly Message[] {
  const { messages, indexes } = request
  const start = startOf(request, before)
  // The model has only read part of a result that was too long for its step.
  const read = (message: Message, at: number) =>
    before.short?.[String(indexes[start + at])]?.[1] ? shownAt(request, start + at, before) : message
  const said = messages
    .slice(start, place)
    .map(read)
    .filter((message) => !isInstruction(message))
  const task = messages[request.task]
  // Another middleware may already have omitted the task, without a summary.
  if (before.summary === undefined && task && !said.includes(task)) said.unshift(task)
  return said
}

/**
 * Returns the artifact ids from the summarized messages that the new summary does not mention: at most the newest
 * hundred, so that the list does not grow with the run.
 */
function idsOutside(summary: string, before: Cut, said: readonly Message[]): readonly string[] {
  const ids = new Set(idsIn(before.summary ?? ''))
  for (const message of said) {
    for (const id of idsIn(textOf(message.content))) ids.add(id)
    for (const { artifact } of mediaOf(message)) if (artifact) ids.add(artifact)
  }
  return [...ids].filter((id) => !summary.includes(id)).slice(-100)
}

function idsIn(text: string): readonly string[] {
  return text.match(RegExp(`\\b${idPattern}\\b`, 'g')) ?? []
}

/** Text for the model that writes the summary. */
const usual = (words: number) =>
  `Summarize the conversation so that you can continue it: goal, decisions, facts and ids, open points. At most ${words} words, no introduction.`

/** The maximum number of characters in an estimated token. */
const longest = 8

/** Returns the start of `text`: about `most` tokens, and at least one character. */
function headOf(text: string, most: number, { tokensOf, fixed }: LongRequest): string {
  let head = text.slice(0, longest * most)
  while (head.length > 2 && tokensOf([{ role: 'user', content: head }]) - fixed > most)
    head = head.slice(0, head.length * 0.9)
  // Does not cut a surrogate pair in half.
  return head.length < text.length ? head.replace(/(?!^)[\ud800-\udbff]$/, '') : head
}

/**
 * For each position, returns a hash of all messages before it. The hashes are the same each time the conversation is
 * loaded. Uses the full SHA-256, since a collision would show one user's summary to another.
 */
async function prefixDigests(messages: readonly Message[], name: string): Promise<readonly string[]> {
  const digests = [name]
  for (const message of messages) {
    const before = digests.at(-1) ?? ''
    const known = digestOf(message)
    if (known.before !== before)
      Object.assign(known, { before, digest: await sha256(`${before}\n${toLine(message)}`) })
    digests.push(known.digest ?? '')
  }
  return digests
}

/** The hash of the conversation up to each message. Each message is hashed only once while the conversation grows. */
const digestOf = /* @__PURE__ */ onceFor((_message: Message): { before?: string; digest?: string } => ({}))

async function sha256(text: string): Promise<string> {
  return (await contentOf(toUtf8(text))).sha256
}

function toLine(message: Message): string {
  const calls = calledIn(message).map((called) => `[calls ${called}]`)
  return `${message.role}: ${[textOf(message.content) + fileLineOf(message), ...calls].join(' ')}`
}
