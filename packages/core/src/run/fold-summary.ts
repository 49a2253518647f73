import { CapstanError } from '../words/error.js'
import type { Message } from '../words/message.js'
import type { ChatModel } from '../words/model.js'
import { firstPart, headOf } from './first-part.js'
import { digestOf } from './prefix-digests.js'
import type { Recent } from './recent.js'
import type { History } from './walk.js'

/** How summaries are written. */
export interface Writing {
  readonly history: Pick<History, 'ask' | 'estimate'>
  /** Tokens that one request may have. */
  readonly maxTokens: number
  readonly model?: ChatModel | undefined
  readonly instructions?: string | undefined
  /** What was written before, by what it was written from: a part is not written twice when a later one fails. */
  readonly written: Recent
}

/**
 * What lines come to in short, with what is known of those before them: in one request where they fit, else part by
 * part, each summary written from the one before it. @throws CapstanError `invalid_response` for an empty one
 */
export async function foldSummary(
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
    const { part, rest } = firstPart(left, Math.max(maxTokens - taken, maxTokens / 4), tokensOf)
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
