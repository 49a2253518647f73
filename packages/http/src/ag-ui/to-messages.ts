import type { AnyAgent, Artifact, Message, ToolCall } from '@capstan/core'
import { isRecord } from '@capstan/core/wire'
import type { Visit } from '../site.js'
import { takeIn, withFiles } from '../take-in.js'
import { textOf } from '../text-of.js'
import { filesOf, listOf, wordsOf } from './ag-ui-content.js'
import type { AgUiMessage } from './run-input.js'

/** AG-UI messages as a run takes them. Calls that came to nothing are left out. @throws HttpError 400 for a file that is not taken */
export async function toMessages(
  messages: readonly AgUiMessage[],
  agent: AnyAgent,
  visit: Visit,
): Promise<readonly Message[]> {
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId))
  const all: Message[] = []
  for (const message of messages) {
    const { role, content } = message
    if (role === 'user') all.push({ role, content: await toWords(content, agent, visit) })
    else if (role === 'assistant') all.push(...toAnswer(message, answered))
    else all.push({ role, tool_call_id: textOf(message.toolCallId), content: wordsOf(content) })
  }
  return all
}

async function toWords(content: unknown, agent: AnyAgent, visit: Visit): Promise<string> {
  const files: Artifact[] = []
  for (const url of filesOf(content)) files.push(await takeIn(url, agent, visit))
  return withFiles(wordsOf(content), files)
}

function toAnswer({ content, toolCalls }: AgUiMessage, answered: ReadonlySet<unknown>): readonly Message[] {
  const text = wordsOf(content)
  const calls = listOf(toolCalls)
    .filter(({ id }) => answered.has(id))
    .map(toCall)
  if (calls.length > 0) return [{ role: 'assistant', content: text || null, tool_calls: calls }]
  return text === '' ? [] : [{ role: 'assistant', content: text }]
}

function toCall({ id, function: called }: Readonly<Record<string, unknown>>): ToolCall {
  const { name, arguments: args } = isRecord(called) ? called : {}
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: textOf(args) } }
}
