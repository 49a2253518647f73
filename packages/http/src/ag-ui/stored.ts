import type { Message } from '@capstan/core'
import { callsOf, reasoningOf, textOf } from '@capstan/core/internal'
import { artifactUrl } from '../artifacts.js'
import { decodePathPart, type RequestContext } from '../context.js'
import { type ChatRuns, loadChat, noRuns } from '../stored-chats.js'
import { toJson } from '../ui/stored.js'
import { filesOf, marksOf, type Turn, toTurns } from '../ui/to-ui-messages.js'
import { toMessageId } from './messages.js'

/**
 * `GET ag-ui/threads/THREAD`: returns a stored thread's messages. Undefined if the request is for a different route.
 */
export async function storedAgUiRoute(
  ctx: RequestContext,
  runs: ChatRuns = noRuns,
): Promise<Response | undefined> {
  const { request, rest, handler } = ctx
  const [what, thread, ...more] = rest
  if (request.method !== 'GET' || what !== 'threads' || thread === undefined || more.length > 0)
    return undefined
  const id = decodePathPart(thread)
  const { messages } = await loadChat(id, ctx, runs)
  const toUrl = (artifact: string) => artifactUrl(handler.options, artifact)
  return toJson({ messages: toAgUiMessages(messages, { id, artifactUrl: toUrl }) })
}

interface ToAgUiOptions {
  /** The thread's id. If a message has no stored id, its id consists of the thread's id and the message's index. */
  readonly id: string
  artifactUrl(id: string): string
}

/** Converts a session's messages to AG-UI messages, with the same ids as in the run's stream. */
export function toAgUiMessages(
  messages: readonly Message[],
  { id, artifactUrl }: ToAgUiOptions,
): readonly object[] {
  return toTurns(messages).flatMap((turn) => {
    const known = turn.messages.map(marksOf).find(({ messageId }) => messageId !== undefined)?.messageId
    const turnId = known ?? `${id}-${turn.start}`
    return turn.role === 'user'
      ? turn.messages.map((message) => ({
          id: turnId,
          role: 'user',
          content: toContent(message, artifactUrl),
        }))
      : toReply(turn, turnId)
  })
}

function toContent(message: Message, toUrl: (id: string) => string): string | readonly object[] {
  const files = filesOf(message)
  const text = textOf(message.content)
  if (files.length === 0) return text
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...files.map(({ artifact, url, mediaType }) => ({
      type: /^(image|audio|video)\//.exec(mediaType)?.[1] ?? 'document',
      source: { type: 'url', value: artifact === undefined ? url : toUrl(artifact), mimeType: mediaType },
    })),
  ]
}

/** Converts a complete reply. Each id contains the number of the text, reasoning or step, as in streams. */
function toReply({ messages }: Turn, turnId: string): readonly object[] {
  let texts = 0
  let steps = 0
  const idOf = (name: string) => toMessageId(turnId, name)
  return messages.flatMap((message) => {
    if (message.role === 'tool') {
      const { tool_call_id: toolCallId, content } = message
      return [{ id: idOf(`result ${toolCallId}`), role: 'tool', toolCallId, content }]
    }
    steps += 1
    const reasoning = reasoningOf(message)
    const thought =
      reasoning === undefined
        ? []
        : [{ id: idOf(`reasoning ${texts++}`), role: 'reasoning', content: reasoning }]
    const said = [textOf(message.content), Object(message).refusal ?? ''].filter((text) => text !== '')
    const spoken = said.map((content) => ({ id: idOf(`text ${texts++}`), role: 'assistant', content }))
    const calls = callsOf(message)
    if (calls.length === 0) return [...thought, ...spoken]
    const toolCalls = calls.map(({ id, function: called }) => ({
      id,
      type: 'function',
      function: { name: called.name, arguments: called.arguments },
    }))
    // Calls are attached to the last text of their step, if there is one.
    const last = spoken.at(-1) ?? { id: idOf(`step ${steps}`), role: 'assistant' }
    return [...thought, ...spoken.slice(0, -1), { ...last, toolCalls }]
  })
}
