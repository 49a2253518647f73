import type { Message, UserMessage } from '../words/message.js'
import type { ChatModel } from '../words/model.js'
import { foldSummary } from './fold-summary.js'
import { prefixDigests } from './prefix-digests.js'
import { Recent } from './recent.js'
import { isRequest } from './shown.js'
import { toLine } from './to-line.js'
import type { Compact } from './walk.js'

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
  const summaries = new Recent(1000)
  return async (history) => {
    const { messages, estimate } = history
    const { maxTokens, keepTokens = maxTokens / 2 } = options
    if (estimate(messages) <= maxTokens) return messages
    const starts = laterRequests(messages)
    const digests = await prefixDigests(messages)
    const summaryBefore = (at: number) => summaries.get(digests[at] ?? '')
    const known = starts.findLast((at) => summaryBefore(at) !== undefined) ?? 0
    const before = summaryBefore(known)
    const shown = before === undefined ? messages : withSummary(messages, known, before)
    const isEnough = (at: number) => at > known && estimate(messages.slice(at)) <= keepTokens
    const cut = starts.find(isEnough) ?? starts.at(-1) ?? 0
    if (cut <= known || estimate(shown) <= maxTokens) return shown
    const covered = messages.slice(known, cut).filter(({ role }) => role !== 'system')
    const writing = { ...options, maxTokens: Math.max(maxTokens, 1000), history, written: summaries }
    const summary = await foldSummary(before, covered.map(toLine), writing)
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
