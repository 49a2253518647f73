import { isRecord } from '../json.js'
import type { ChatMessage, MessageCall } from '../plan/conversation.js'
import {
  checkNoFileId,
  invalidMessage,
  kindIn,
  type MessageContent,
  parseContent,
  type ReadPart,
} from './chat-messages.js'

/** Checks `system` in a Messages request: a string or an array of text blocks. */
export function parseSystem(system: unknown): ChatMessage[] {
  const content = parseContent(system, 'system', readBlock)
  return content ? [{ role: 'system', text: content.text }] : []
}

/**
 * Checks `messages` in a Messages request. Throws a 400 that names the invalid message and the expected form. The
 * message after calls must start with the results of these calls.
 */
export function parseConversation(messages: unknown): ChatMessage[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalidMessage('messages', 'must be a non-empty array of messages')
  const turns = messages.map(toTurn)
  checkResults(turns)
  return turns.flatMap(({ role, texts, calls, results, unseen }): ChatMessage[] => {
    const text = texts.join('\n')
    if (role === 'assistant') return [{ role, text, calls }]
    const answers = results.map((result) => ({ role: 'tool' as const, ...result }))
    const isOnlyResults = results.length > 0 && texts.length + unseen.length === 0
    const said = { role, text, ...(unseen.length > 0 ? { unseen } : {}) }
    return isOnlyResults ? answers : [...answers, said]
  })
}

/** The blocks of a message, by kind. */
interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  readonly texts: readonly string[]
  readonly calls: readonly MessageCall[]
  readonly results: readonly Result[]
  /** The kinds of blocks in the message that the planner cannot read. */
  readonly unseen: readonly string[]
}

interface Result {
  readonly callId: string
  readonly text: string
}

const roles = ['user', 'assistant', 'system'] as const

function toTurn(message: unknown, index: number): Turn {
  const at = `messages[${index}]`
  if (!isRecord(message)) throw invalidMessage(at, 'must be an object with a role')
  const role = roles.find((one) => one === message.role)
  if (!role) throw invalidMessage(`${at}.role`, 'must be "user", "assistant" or "system"')
  const { content } = message
  if (typeof content === 'string') return { role, texts: [content], calls: [], results: [], unseen: [] }
  if (!Array.isArray(content)) throw invalidMessage(`${at}.content`, 'must be a string or an array of blocks')
  const blocks = content.map((block, place) => parseBlock(block, role, `${at}.content[${place}]`))
  const late = blocks.findIndex((block, place) => block.result && place > 0 && !blocks[place - 1]?.result)
  if (late >= 0) throw invalidMessage(`${at}.content[${late}]`, 'must come before the other blocks')
  return {
    role,
    texts: blocks.flatMap(({ text }) => text ?? []),
    calls: blocks.flatMap(({ call }) => call ?? []),
    results: blocks.flatMap(({ result }) => result ?? []),
    unseen: blocks.flatMap(({ unseen }) => unseen ?? []),
  }
}

interface Block {
  readonly text?: string
  readonly unseen?: string
  readonly call?: MessageCall
  readonly result?: Result
}

function parseBlock(block: unknown, role: Turn['role'], at: string): Block {
  const { type } = isRecord(block) ? block : {}
  if (!isRecord(block) || typeof type !== 'string') throw invalidMessage(at, 'must be an object with a type')
  if (type === 'tool_use' && role === 'assistant') return { call: parseCall(block, at) }
  if (type === 'tool_result' && role === 'user') return { result: parseResult(block, at) }
  checkNoFileId(block, at)
  return readBlock(block, at)
}

function parseCall({ id, name, input }: Readonly<Record<string, unknown>>, at: string): MessageCall {
  if (typeof id !== 'string' || id === '') throw invalidMessage(`${at}.id`, 'must be a non-empty string')
  if (typeof name !== 'string' || name === '')
    throw invalidMessage(`${at}.name`, 'must be the name of the tool')
  if (!isRecord(input)) throw invalidMessage(`${at}.input`, 'must be an object')
  return { id, name, arguments: JSON.stringify(input) }
}

function parseResult(block: Readonly<Record<string, unknown>>, at: string): Result {
  const { tool_use_id: callId, content: given, is_error: isError } = block
  if (typeof callId !== 'string')
    throw invalidMessage(`${at}.tool_use_id`, 'must be the id of the tool_use block that this one answers')
  const content: MessageContent = parseContent(given, `${at}.content`, readBlock) ?? { text: '' }
  // The planner recognizes a failure by this prefix.
  return { callId, text: isError === true ? `Error: ${content.text}` : content.text }
}

const unseen: Readonly<Record<string, string>> = {
  image: 'picture',
  document: 'file',
}

// Blocks that models and the server's own tools add to a conversation.
const unread = /^(thinking|redacted_thinking|server_tool_use|search_result|tool_reference|\w+_tool_result)$/

const readBlock: ReadPart = (block, at) => {
  const { type, text } = isRecord(block) ? block : {}
  if (type === 'text' && typeof text === 'string') return { text }
  const kind = kindIn(unseen, type)
  if (kind !== undefined) return { unseen: kind }
  if (typeof type === 'string' && unread.test(type)) return {}
  throw invalidMessage(
    at,
    'must be {"type": "text", "text": "..."}, or an image, document, thinking, tool_use (assistant) or tool_result (user) block',
  )
}

function checkResults(turns: readonly Turn[]): void {
  for (const [index, { calls }] of turns.entries()) {
    const at = `messages[${index}].content`
    const open = new Set(calls.map(({ id }) => id))
    if (open.size < calls.length) throw invalidMessage(at, 'has two tool_use blocks with the same id')
    const results = turns[index + 1]?.results ?? []
    const [other] = results.filter(({ callId }) => !open.delete(callId))
    if (open.size > 0) {
      const list = [...open].join(', ')
      throw invalidMessage(
        at,
        `has tool_use blocks without tool_result blocks at the start of the next message: ${list}`,
      )
    }
    if (other)
      throw invalidMessage(
        `messages[${index + 1}].content`,
        `has a tool_result for "${other.callId}", which is not an open tool_use block in the previous message`,
      )
  }
  if (turns[0]?.results.length)
    throw invalidMessage('messages[0].content', 'has a tool_result without a tool_use block before it')
}
