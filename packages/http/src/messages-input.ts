import { isRecord } from '@capstan/core/internal'
import { isGiven, messagesChoice, messagesTool } from '@capstan/protocols/input'
import { readUrl, withoutData, wrongPart, wrongRole } from './client-messages.js'
import { wrongTool } from './client-tools.js'
import { invalidRequest } from './http-error.js'
import type { ChatFields } from './model-route.js'

type Block = Readonly<Record<string, unknown>>

/**
 * Converts a Messages request to the fields of a chat request.
 * @throws HttpError 400 for invalid fields
 */
export function toChatFields({ model, system, messages, tools, tool_choice: choice }: Block): ChatFields {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalidRequest('`messages` must be an array of messages.')
  const instructions = isGiven(system) ? textIn(system) : ''
  const first = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  return {
    model,
    messages: [...first, ...messages.flatMap(toMessages)],
    tools: Array.isArray(tools) ? tools.map(toTool) : tools,
    tool_choice: toToolChoice(choice),
  }
}

function toMessages(given: unknown): readonly object[] {
  if (!isRecord(given)) throw invalidRequest('A message must be an object.')
  const { role, content } = given
  if (role === 'assistant') return [toReply(content)]
  if (role === 'system') return [{ role, content: textIn(content) }]
  if (role !== 'user') throw wrongRole(role)
  if (typeof content === 'string') return [{ role, content }]
  const blocks = blocksOf(content)
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toResult)
  const parts = blocks.filter(({ type }) => type !== 'tool_result').map(toPart)
  return parts.length === 0 && results.length > 0 ? results : [...results, { role, content: parts }]
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content) && content.every(isRecord)) return content
  throw invalidRequest("A message's `content` must be a string or an array of blocks.")
}

function textIn(content: unknown): string {
  return blocksOf(content).map(toText).join('\n\n')
}

function toText({ type, text }: Block): string {
  if (type === 'text' && typeof text === 'string') return text
  throw wrongPart(type, 'only text blocks here, each with a string `text`')
}

// Omitted because agents do not get them: thinking, and the calls and results of other servers' tools.
const unread =
  /^(thinking|redacted_thinking|fallback|server_tool_use|mcp_tool_(use|result)|mcp_tool_listing|\w+_tool_result)$/

function toReply(content: unknown): object {
  const blocks = blocksOf(content).filter(({ type }) => typeof type !== 'string' || !unread.test(type))
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => {
      return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
    })
  const text = blocks
    .filter(({ type }) => type !== 'tool_use')
    .map(toText)
    .join('')
  const hasText = text !== '' || calls.length === 0
  return {
    role: 'assistant',
    content: hasText ? text : null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

// A result's files become `data:` URLs in its text, which are later stored as artifacts.
function toResult({ tool_use_id: id, content, is_error: isError }: Block): object {
  const lines = isGiven(content) ? blocksOf(content).map(toLine) : []
  const text = lines.join('\n')
  return { role: 'tool', tool_call_id: id, content: isError === true ? `Error: ${text}` : text }
}

function toLine(block: Block): string {
  switch (block.type) {
    case 'image':
      return toUrl(block)
    case 'document':
      return textOfDocument(block) ?? toUrl(block)
    case 'search_result':
      return textOfSearch(block)
    default:
      return toText(block)
  }
}

/** Returns a document's text, from its `data` or its text blocks. Undefined for other documents. */
function textOfDocument({ source }: Block): string | undefined {
  const { type, data, content } = Object(source) as Block
  if (type === 'content') return textIn(content)
  return type === 'text' && typeof data === 'string' ? data : undefined
}

function textOfSearch({ title, source, content }: Block): string {
  return JSON.stringify({ title, source, text: textIn(content) })
}

function toPart(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image_url', image_url: { url: toUrl(block) } }
    case 'document': {
      const text = textOfDocument(block)
      if (text !== undefined) return { type: 'text', text }
      return { type: 'file', file: { file_data: toUrl(block), filename: block.title ?? 'document' } }
    }
    case 'search_result':
      return { type: 'text', text: textOfSearch(block) }
    default:
      throw wrongPart(block.type, 'text, image, document, search_result and tool_result blocks')
  }
}

function toUrl({ source }: Block): string {
  const { type, media_type: mediaType, data, url } = isRecord(source) ? source : ({} as Block)
  if (type === 'base64' && typeof data === 'string') return `data:${String(mediaType)};base64,${data}`
  if (type === 'url') return readUrl(url)
  throw withoutData()
}

function toTool(given: unknown): unknown {
  const { type = 'custom' }: Block = Object(given)
  if (type === 'custom') return messagesTool(given)
  throw wrongTool(type, 'tools with an `input_schema`')
}

function toToolChoice(given: unknown): unknown {
  const choice = messagesChoice(given)
  if (choice !== false) return choice
  throw invalidRequest('`tool_choice` must have the type auto, any, none, or tool with a name.')
}
