import { isRecord } from '@capstan/core/internal'
import { isItemReference } from '@capstan/protocols/input'
import { readPart, toShown, withoutData, wrongPart } from '../client-messages.js'
import { wrongTool } from '../client-tools.js'
import { HttpError, invalidRequest } from '../http-error.js'
import type { ChatFields } from '../model-route.js'

type Item = Readonly<Record<string, unknown>>

/** Finds an item of an earlier response by its id. */
export type FindItem = (id: string) => Item | undefined

/**
 * Converts a Responses request to the fields of a chat request.
 * @throws HttpError 400 for invalid fields or an unknown item
 */
export function toChatFields(body: Item, find: FindItem): ChatFields {
  const { model, instructions, input } = body
  const system = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []
  return { model, messages: [...system, ...toMessages(input, find)], ...toToolFields(body) }
}

interface Reply {
  readonly role: 'assistant'
  content: string | null
  refusal?: string
  tool_calls?: object[]
}

// Omitted because agents do not get them: reasoning, and the calls and results of other servers' tools.
const unread =
  /^(reasoning|(web_search|file_search|code_interpreter|image_generation|computer|mcp|shell|local_shell|apply_patch|tool_search)_call(_output)?|mcp_(list_tools|approval_request|approval_response))$/

/** Converts the input to messages. Consecutive items of a reply become one message. */
function toMessages(input: unknown, find: FindItem): object[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw invalidRequest('`input` must be a string or an array of items.')
  const messages: object[] = []
  let open: Reply | undefined
  for (const given of input) {
    const item = toItem(given, find)
    if (typeof item.type === 'string' && unread.test(item.type)) continue
    if (item.type === 'function_call' || item.role === 'assistant') {
      const isFirst = open === undefined
      open ??= { role: 'assistant', content: null }
      if (isFirst) messages.push(open)
      addToReply(open, item)
    } else {
      open = undefined
      messages.push(toMessage(item))
    }
  }
  return messages
}

function toItem(given: unknown, find: FindItem): Item {
  if (!isRecord(given)) throw invalidRequest('An item of `input` must be an object.')
  if (!isItemReference(given)) return given
  const { id } = given
  const found = typeof id === 'string' ? find(id) : undefined
  if (found) return found
  const message = `No item ${toShown(id)}. This server only remembers items from recent responses, and none from requests with \`store: false\`. Send the item itself.`
  throw new HttpError(400, 'item_not_found', message)
}

function addToReply(reply: Reply, item: Item): void {
  if (item.type === 'function_call') {
    const { call_id: id, name, arguments: args } = item
    reply.tool_calls ??= []
    reply.tool_calls.push({ id, type: 'function', function: { name, arguments: args } })
    return
  }
  checkIsMessage(item)
  reply.content ??= ''
  for (const { type, text, refusal } of partsOf(item.content)) {
    if (isText(type) && typeof text === 'string') reply.content += text
    else if (type === 'refusal' && typeof refusal === 'string')
      reply.refusal = (reply.refusal ?? '') + refusal
    else throw wrongPart(type, 'output_text and refusal parts in a reply')
  }
}

function isText(type: unknown): boolean {
  return type === 'input_text' || type === 'output_text' || type === 'text'
}

function partsOf(content: unknown): readonly Item[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  if (Array.isArray(content) && content.every(isRecord)) return content
  throw invalidRequest("An item's `content` must be a string or an array of parts.")
}

function toMessage(item: Item): object {
  const { type, role, content, call_id: callId, output } = item
  if (type === 'function_call_output')
    return { role: 'tool', tool_call_id: callId, content: toResult(output) }
  checkIsMessage(item)
  return { role, content: typeof content === 'string' ? content : partsOf(content).map(toPart) }
}

function checkIsMessage({ type = 'message' }: Item): void {
  if (type === 'message') return
  throw invalidRequest(
    `An item of type ${toShown(type)} is not supported. Send messages, function calls and their outputs.`,
  )
}

// A result's files become `data:` URLs in its text, which are later stored as artifacts.
function toResult(output: unknown): string {
  if (typeof output === 'string') return output
  const lines = partsOf(output).map((part) => {
    const { type, text, image_url: image, file } = readPart(toPart(part))
    if (type === 'input_audio')
      throw wrongPart(type, 'input_text, input_image and input_file parts in an output')
    return text ?? Object(image).url ?? Object(file).file_data
  })
  return lines.join('\n')
}

/** Converts a part to the chat completions format. Its data is checked later. */
function toPart(part: Item): Item {
  const { type, text, image_url: url, detail, file_data, filename, input_audio } = part
  if (isText(type) && typeof text === 'string') return { type: 'text', text }
  if (type === 'input_image' && typeof url === 'string')
    return { type: 'image_url', image_url: { url, detail } }
  if (type === 'input_file' && typeof file_data === 'string')
    return { type: 'file', file: { file_data, filename } }
  if (type === 'input_audio') return { type, input_audio }
  if (type === 'input_image' || type === 'input_file') throw withoutData()
  throw wrongPart(type, 'input_text, input_image, input_audio and input_file parts')
}

function toToolFields({ tools, tool_choice: choice }: Item): Pick<ChatFields, 'tools' | 'tool_choice'> {
  const all = Array.isArray(tools) ? tools.map(toTool) : tools
  if (!isRecord(choice)) return { tools: all, tool_choice: choice }
  if (choice.type !== 'allowed_tools' || !Array.isArray(choice.tools) || !Array.isArray(all))
    return { tools: all, tool_choice: { type: choice.type, function: { name: choice.name } } }
  const names = new Set(choice.tools.map((one) => Object(one).name))
  return { tools: all.filter((tool) => names.has(tool.function.name)), tool_choice: choice.mode }
}

function toTool(tool: unknown) {
  const { type, name, description, parameters }: Item = Object(tool)
  if (type === 'function') return { type, function: { name, description, parameters } }
  throw wrongTool(type, 'functions')
}
