import type { Message } from '../../src/index.js'
import { textOf } from '../../src/types/message.js'
import type { SeenRequest } from '../scripted-server.js'
import { call, calls } from './scenario.js'
import type { Line } from './strict-server.js'

/** The answer of the long run. */
export const longAnswer = 'Done after four turns.'
/** What its follow-up is asked, and the answer. */
export const followUp = { role: 'user', content: 'And now?' } as const
export const followUpAnswer = 'That was all.'

/**
 * Four turns of calls, parallel and failing ones among them, two that need approval, and an answer. Which turn it is
 * the conversation says, whoever asks. No answer is given twice: its calls carry the number of the request.
 */
export const longScript = ({ body }: Pick<SeenRequest, 'body'>, n: number): Line => {
  const messages = body.messages as readonly Message[]
  const question = messages.findLast(({ role }) => role === 'user')
  if (question?.role === 'user' && textOf(question.content) === followUp.content)
    return { text: followUpAnswer }
  return turns(n)[turnOf(messages)] ?? { text: longAnswer }
}

/** The number of replies before a request. */
export function turnOf(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === 'assistant').length
}

const turns = (n: number): readonly Line[] => [
  {
    text: 'Looking around.',
    ...calls(call('search', { q: 'a', n }), call('search', { q: 'b', n }), call('save', { n })),
  },
  calls(call('save', { n }), call('send', { to: 'Ada', n }), call('send', { to: 'Bob', n })),
  calls(call('broken', { n }), call('nope', { n }), call('search', '{"q":')),
  calls(call('save', { n }), call('save', { n })),
]

/** Approves whatever waits. */
export const approving = (pending: readonly { readonly callId: string }[] = []) =>
  Object.fromEntries(pending.map(({ callId }) => [callId, { type: 'approve' as const }]))

/** The conversation, without what differs from one request to the next. */
export function storyOf(messages: readonly Message[]): string[] {
  return messages.map((message) =>
    message.role === 'assistant'
      ? `${textOf(message.content)} ${message.tool_calls?.map((made) => made.function.name).join(' ') ?? ''}`
      : textOf(message.content),
  )
}
