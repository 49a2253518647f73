import { isItemReference } from '@capstan/protocols/input'
import { ServiceError } from '../http/service-error.js'
import { isRecord } from '../json.js'
import type { ChatMessage, MessageCall } from '../plan/conversation.js'
import { invalidMessage, kindIn, type MessageContent, parseContent, type ReadPart } from './chat-messages.js'

type Item = Readonly<Record<string, unknown>>

/** Returns the item with this id from an earlier response. Undefined if the id is unknown. */
export type FindItem = (id: string) => Item | undefined

/** Checks `input` in a request for a response. Throws a 400 that names the invalid item and the expected form. */
export function parseInput(input: unknown, find: FindItem): ChatMessage[] {
  if (typeof input === 'string' && input !== '') return [{ role: 'user', text: input }]
  if (!Array.isArray(input) || input.length === 0)
    throw invalidMessage('input', 'must be a non-empty string, or a non-empty array of items')
  const items = input.map((item, index) => parseItem(toItem(item, index, find), `input[${index}]`))
  return toMessages(items)
}

/** The parts of an item that the planner reads. */
type ParsedItem =
  | { readonly type: 'message'; readonly role: 'system' | 'user'; readonly content: MessageContent }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: MessageCall; readonly at: string }
  | { readonly type: 'output'; readonly callId: string; readonly text: string; readonly at: string }
  | { readonly type: 'unread' }

function toItem(item: unknown, index: number, find: FindItem): Item {
  const at = `input[${index}]`
  if (!isRecord(item)) throw invalidMessage(at, 'must be an object')
  if (!isItemReference(item)) return item
  const { id } = item
  const found = typeof id === 'string' ? find(id) : undefined
  if (found) return found
  const message = `Item with id ${JSON.stringify(item.id)?.slice(0, 100)} not found: this service remembers only the items of recent responses with "store". Send the item itself.`
  throw new ServiceError(400, 'item_not_found', message, `${at}.id`)
}

// Items that other servers and their tools add to a conversation.
const unread =
  /^(reasoning|(web_search|file_search|code_interpreter|image_generation|computer|mcp|custom_tool|shell|local_shell|apply_patch|tool_search)_call(_output)?|mcp_(list_tools|approval_request|approval_response))$/

function parseItem(item: Item, at: string): ParsedItem {
  const type = item.type ?? 'message'
  if (type === 'message') return parseMessage(item, at)
  if (type === 'function_call') return { type: 'call', call: parseCall(item, at), at }
  if (type === 'function_call_output') return parseOutput(item, at)
  if (typeof type === 'string' && unread.test(type)) return { type: 'unread' }
  throw invalidMessage(
    `${at}.type`,
    'must be message, function_call, function_call_output, reasoning or item_reference',
  )
}

function parseMessage({ role, content: given }: Item, at: string): ParsedItem {
  const content = parseContent(given, `${at}.content`, readPart)
  if (!content) throw invalidMessage(`${at}.content`, 'is missing')
  if (role === 'system' || role === 'developer') return { type: 'message', role: 'system', content }
  if (role === 'user') return { type: 'message', role, content }
  if (role === 'assistant') return { type: 'text', text: content.text }
  throw invalidMessage(`${at}.role`, 'must be one of system, developer, user, assistant')
}

const unseen: Readonly<Record<string, string>> = {
  input_image: 'picture',
  input_audio: 'recording',
  input_file: 'file',
}

const readPart: ReadPart = (part, at) => {
  if (isRecord(part)) {
    const { type, text, refusal } = part
    if ((type === 'input_text' || type === 'output_text') && typeof text === 'string') return { text }
    if (type === 'refusal' && typeof refusal === 'string') return { text: refusal }
    const kind = kindIn(unseen, type)
    if (kind !== undefined) return { unseen: kind }
  }
  throw invalidMessage(
    at,
    'must be {"type": "input_text", "text": "..."}, output_text or refusal, or an input_image, input_audio or input_file part',
  )
}

function parseCall({ call_id: id, name, arguments: args }: Item, at: string): MessageCall {
  if (typeof id !== 'string' || id === '') throw invalidMessage(`${at}.call_id`, 'must be a non-empty string')
  if (typeof name !== 'string' || name === '')
    throw invalidMessage(`${at}.name`, 'must be the name of the function')
  if (typeof args !== 'string') throw invalidMessage(`${at}.arguments`, 'must be a JSON string')
  return { id, name, arguments: args }
}

function parseOutput({ call_id: callId, output }: Item, at: string): ParsedItem {
  if (typeof callId !== 'string')
    throw invalidMessage(`${at}.call_id`, 'must be the id of the call that this item answers')
  const content = parseContent(output, `${at}.output`, readPart)
  if (!content) throw invalidMessage(`${at}.output`, 'is missing')
  return { type: 'output', callId, text: content.text, at }
}

/** Joins the items of a reply into one message, followed by the results of its calls. */
function toMessages(items: readonly ParsedItem[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  const outputs = new Outputs(items)
  let texts: string[] = []
  let calls: MessageCall[] = []
  const ids = new Set<string>()
  const endReply = () => {
    if (texts.length + calls.length === 0) return
    messages.push({ role: 'assistant', text: texts.join('\n'), calls })
    for (const { id } of calls) messages.push({ role: 'tool', text: outputs.take(id), callId: id })
    texts = []
    calls = []
    ids.clear()
  }
  for (const item of items) {
    if (item.type === 'text') texts.push(item.text)
    else if (item.type === 'call') {
      const { id } = item.call
      if (ids.has(id)) throw invalidMessage(`${item.at}.call_id`, `repeats "${id}"`)
      ids.add(id)
      calls.push(item.call)
    } else if (item.type !== 'unread') endReply()
    if (item.type === 'output') outputs.checkTaken(item)
    if (item.type === 'message') messages.push({ role: item.role, ...item.content })
  }
  endReply()
  return messages
}

type Output = Extract<ParsedItem, { type: 'output' }>

/** The results of calls. Some models repeat ids, so several results can have the same id. They are kept in order. */
class Outputs {
  readonly #byId = new Map<string, Output[]>()
  readonly #taken = new Set<Output>()

  constructor(items: readonly ParsedItem[]) {
    // In reverse order, because results are taken from the end.
    for (const item of items.toReversed()) {
      if (item.type !== 'output') continue
      const same = this.#byId.get(item.callId)
      if (same) same.push(item)
      else this.#byId.set(item.callId, [item])
    }
  }

  take(id: string): string {
    const output = this.#byId.get(id)?.pop()
    if (output) {
      this.#taken.add(output)
      return output.text
    }
    throw new ServiceError(400, 'invalid_messages', `No tool output found for function call ${id}.`, 'input')
  }

  /** Rejects a result if no earlier call has its id. */
  checkTaken(output: Output): void {
    if (this.#taken.has(output)) return
    throw invalidMessage(
      `${output.at}.call_id`,
      `answers "${output.callId}", but no earlier call with this id is open`,
    )
  }
}
