import type { ChatModel } from '../ask/model.js'
import { CapstanError } from '../words/error.js'
import { callsOf, type Message, textOf, type UserMessage } from '../words/message.js'
import type { Compact, History } from './walk.js'

export interface SummaryOptions {
  /** From how many tokens on, as they are estimated, a history is summarised. */
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
 * It stays until the history has grown too long with it; the next one is written from it and what came after. A
 * history whose last exchange alone is too long is left as it is. What summaries take is not in the run's usage.
 * @throws CapstanError `invalid_response` for an empty summary, and what the model throws; the next request tries again
 */
export function summarizeHistory(options: SummaryOptions): Compact {
  /** By the last message that each covers. */
  const summaries = new WeakMap<Message, string>()
  const summaryBefore = (messages: readonly Message[], at: number) =>
    summaries.get(messages[at - 1] as Message)
  return async (history) => {
    const { messages, estimate } = history
    const { maxTokens, keepTokens = maxTokens / 2 } = options
    if (estimate(messages) <= maxTokens) return messages
    const starts = laterRequests(messages)
    const known = starts.findLast((at) => summaryBefore(messages, at) !== undefined) ?? 0
    const before = summaryBefore(messages, known)
    const shown = before === undefined ? messages : withSummary(messages, known, before)
    const isEnough = (at: number) => at > known && estimate(messages.slice(at)) <= keepTokens
    const cut = starts.find(isEnough) ?? starts.at(-1) ?? 0
    if (cut <= known || estimate(shown) <= maxTokens) return shown
    const part = messages.slice(known, cut)
    const summary = await summarize({ part, before }, history, options)
    summaries.set(messages[cut - 1] as Message, summary)
    return withSummary(messages, cut, summary)
  }
}

/** Where the messages of the user are, after the first words of the conversation. */
function laterRequests(messages: readonly Message[]): number[] {
  const first = openingOf(messages).length
  return messages.flatMap(({ role }, at) => (role === 'user' && at > first ? [at] : []))
}

/** The words of the system that a conversation may begin with. */
function openingOf(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return messages.slice(0, Math.max(0, first))
}

interface Covered {
  readonly part: readonly Message[]
  /** Of what was said before that. */
  readonly before: string | undefined
}

async function summarize(
  { part, before }: Covered,
  { model, signal }: History,
  options: SummaryOptions,
): Promise<string> {
  const lines = part.filter(({ role }) => role !== 'system').map(toLine)
  const { message } = await (options.model ?? model).complete({
    messages: [
      { role: 'system', content: options.instructions ?? usual },
      { role: 'user', content: [before === undefined ? [] : `before: ${before}`, lines].flat().join('\n') },
    ],
    tools: [],
    stream: false,
    signal,
    idempotencyKey: `summary-${crypto.randomUUID()}`,
  })
  const summary = textOf(message.content).trim()
  if (summary !== '') return summary
  throw new CapstanError('invalid_response', 'The model wrote an empty summary of the history.', {
    retryable: true,
  })
}

const usual =
  'Summarise the conversation you are given, for yourself to go on with: what is wanted, what was decided, facts and ids that were found, what is still open. Short sentences, no introduction.'

function toLine(message: Message): string {
  const calls = callsOf(message).map((call) => `[calls ${call.function.name} ${call.function.arguments}]`)
  return `${message.role}: ${[textOf(message.content), ...calls].join(' ')}`
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
