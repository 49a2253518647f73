import { isRecord } from '@capstan/core/internal'
import type { ChatFields } from '../chat/start.js'
import { type HttpError, invalidRequest } from '../http-error.js'

type Block = Readonly<Record<string, unknown>>

/**
 * Converts a Messages request to the fields of a chat request.
 * @throws HttpError 400 for fields that are not valid
 */
export function toChatFields({ model, system, messages, tools, tool_choice: choice }: Block): ChatFields {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalidRequest('`messages` must be a list of messages.')
  const instructions = system === undefined || system === null ? '' : textIn(system)
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
  if (typeof content === 'string') return [{ role, content }]
  if (role === 'system') return [{ role, content: textIn(content) }]
  const blocks = blocksOf(content)
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toResult)
  const parts = blocks.filter(({ type }) => type !== 'tool_result').map(toPart)
  return parts.length === 0 && results.length > 0 ? results : [...results, { role, content: parts }]
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content) && content.every(isRecord)) return content
  throw invalidRequest('The `content` of a message must be a text or a list of blocks.')
}

function textIn(content: unknown): string {
  return blocksOf(content)
    .flatMap(({ text }) => (typeof text === 'string' ? text : []))
    .join('\n\n')
}

/** Thinking and the work of other servers' tools are left out: agents do not get them. */
function toReply(content: unknown): object {
  const blocks = blocksOf(content)
  const text = blocks.map((block) => (block.type === 'text' ? String(block.text) : '')).join('')
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => {
      return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
    })
  const hasText = text !== '' || calls.length === 0
  return {
    role: 'assistant',
    content: hasText ? text : null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

// Files of a result are stored like all that results contain as data: URLs.
function toResult({ tool_use_id: id, content, is_error: isError }: Block): object {
  const lines = content === undefined || content === null ? [] : blocksOf(content).map(toLine)
  const text = lines.join('\n')
  return { role: 'tool', tool_call_id: id, content: isError === true ? `Error: ${text}` : text }
}

function toLine(block: Block): string {
  if (typeof block.text === 'string') return block.text
  return block.type === 'image' || block.type === 'document' ? toUrl(block) : JSON.stringify(block)
}

function toPart(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image_url', image_url: { url: toUrl(block) } }
    case 'document': {
      const { source, title } = block
      if (isRecord(source) && source.type === 'text') return { type: 'text', text: source.data }
      return { type: 'file', file: { file_data: toUrl(block), filename: title ?? 'document' } }
    }
    default:
      throw invalidRequest(
        `A block of type ${JSON.stringify(block.type)} is not supported in a user message. Send text, images and documents.`,
      )
  }
}

function toUrl({ source }: Block): string {
  const { type, media_type: mediaType, data, url } = isRecord(source) ? source : ({} as Block)
  if (type === 'base64' && typeof data === 'string') return `data:${String(mediaType)};base64,${data}`
  if (type === 'url' && typeof url === 'string') return url
  throw withoutFile()
}

function withoutFile(): HttpError {
  return invalidRequest('A file has no base64 data. This server stores no files: send the data itself.')
}

function toTool(tool: unknown): object {
  const { type = 'custom', name, description, input_schema: parameters }: Block = Object(tool)
  if (type === 'custom') return { type: 'function', function: { name, description, parameters } }
  throw invalidRequest(
    `A tool of type ${JSON.stringify(type)} is not supported: this server runs the agent's own tools. Offer tools with an \`input_schema\` only.`,
  )
}

function toToolChoice(choice: unknown): unknown {
  if (choice === undefined || choice === null) return undefined
  const { type, name }: Block = Object(choice)
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  if (type === 'tool' && typeof name === 'string') return { type: 'function', function: { name } }
  throw invalidRequest('`tool_choice` must have the type auto, any, none, or tool with a name.')
}
