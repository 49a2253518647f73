import { ServiceError } from '../http/service-error.js'
import { isRecord } from '../json.js'
import type { ChatMessage, MessageCall } from '../plan/conversation.js'

/**
 * Checks `messages` in a request. Throws a 400 `invalid_messages` that names the invalid message and the expected form.
 */
export function parseMessages(messages: unknown): ChatMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalidMessage('messages', 'must be a non-empty array of messages')
  }
  const parsed = messages.map(parseMessage)
  checkToolMessages(parsed)
  return parsed
}

function parseMessage(message: unknown, index: number): ChatMessage {
  const at = `messages[${index}]`
  if (!isRecord(message)) throw invalidMessage(at, 'must be an object with a role')
  const content = parseContent(message.content, `${at}.content`)
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: required(content, at).text }
    case 'user':
      return { role: 'user', ...required(content, at) }
    case 'assistant':
      return parseAssistant(message, content?.text, index)
    case 'tool':
      if (typeof message.tool_call_id === 'string')
        return { role: 'tool', text: required(content, at).text, callId: message.tool_call_id }
      throw invalidMessage(`${at}.tool_call_id`, 'must be the id of the tool call this message answers')
    case 'function':
      return { role: 'tool', text: required(content, at).text, callId: oldCallId(index - 1) }
    default:
      throw invalidMessage(`${at}.role`, 'must be one of system, developer, user, assistant, tool, function')
  }
}

function parseAssistant(
  message: Readonly<Record<string, unknown>>,
  text: string | undefined,
  index: number,
): ChatMessage {
  const at = `messages[${index}]`
  const { tool_calls: calls, function_call: old } = message
  if (old !== undefined && old !== null) {
    return {
      role: 'assistant',
      text: text ?? '',
      calls: [parseFunction(old, oldCallId(index), `${at}.function_call`)],
    }
  }
  if (calls === undefined || calls === null) {
    const said = text ?? (typeof message.refusal === 'string' ? message.refusal : undefined)
    return {
      role: 'assistant',
      text: required(said === undefined ? undefined : { text: said }, at).text,
      calls: [],
    }
  }
  if (!Array.isArray(calls) || calls.length === 0) {
    throw invalidMessage(`${at}.tool_calls`, 'must be a non-empty array of calls; omit it without calls')
  }
  return {
    role: 'assistant',
    text: text ?? '',
    calls: calls.map((call, place) => parseCall(call, `${at}.tool_calls[${place}]`)),
  }
}

// Calls in the older `functions` format have no ids. The message after such a call contains its result.
function oldCallId(index: number): string {
  return `function_call_${index}`
}

function parseCall(call: unknown, at: string): MessageCall {
  if (!isRecord(call)) throw invalidMessage(at, 'must be an object with id, type and function')
  if (typeof call.id !== 'string' || call.id === '')
    throw invalidMessage(`${at}.id`, 'must be a non-empty string')
  if (call.type !== 'function') throw invalidMessage(`${at}.type`, 'must be "function"')
  return parseFunction(call.function, call.id, `${at}.function`)
}

function parseFunction(called: unknown, id: string, at: string): MessageCall {
  const { name, arguments: args } = isRecord(called) ? called : {}
  if (typeof name !== 'string' || name === '')
    throw invalidMessage(`${at}.name`, 'must be the name of the function')
  if (typeof args !== 'string') throw invalidMessage(`${at}.arguments`, 'must be a JSON string')
  return { id, name, arguments: args }
}

function required(content: MessageContent | undefined, at: string): MessageContent {
  if (content === undefined)
    throw invalidMessage(
      `${at}.content`,
      'is missing; only assistant messages with tool_calls or a refusal may omit it',
    )
  return content
}

/** Checks that each call is followed by exactly one tool message, and that each tool message belongs to a call. */
function checkToolMessages(messages: readonly ChatMessage[]): void {
  let open = new Set<string>()
  let asked = 0
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.callId)) continue
      throw invalidMessage(
        `messages[${index}].tool_call_id`,
        `answers "${message.callId}", which is not an open call: send one tool message for each call, after its assistant message`,
      )
    }
    checkNoneOpen(open, asked)
    if (message.role !== 'assistant') continue
    open = new Set(message.calls.map(({ id }) => id))
    asked = index
    if (open.size < message.calls.length)
      throw invalidMessage(`messages[${index}].tool_calls`, 'has two calls with the same id')
  }
  checkNoneOpen(open, asked)
}

function checkNoneOpen(open: ReadonlySet<string>, asked: number): void {
  if (open.size === 0) return
  const ids = [...open].join(', ')
  throw invalidMessage(
    `messages[${asked}].tool_calls`,
    `has calls without a result: add a tool message after it for ${ids}`,
  )
}

/** The text of a message, and the kinds of content parts that the planner cannot read. */
export interface MessageContent {
  readonly text: string
  readonly unseen?: readonly string[]
}

/**
 * Checks the content of a message: a string, or parts whose text is joined with newlines. Undefined if the message has
 * no content.
 */
export function parseContent(
  content: unknown,
  at: string,
  readPart: ReadPart = parsePart,
): MessageContent | undefined {
  if (content === undefined || content === null) return undefined
  if (typeof content === 'string') return { text: content }
  if (!Array.isArray(content)) throw invalidMessage(at, 'must be a string, null or an array of parts')
  const parts = content.map((part, index) => {
    checkNoFileId(part, `${at}[${index}]`)
    return readPart(part, `${at}[${index}]`)
  })
  const unseen = parts.flatMap((part) => part.unseen ?? [])
  const text = parts.flatMap((part) => part.text ?? []).join('\n')
  return unseen.length > 0 ? { text, unseen } : { text }
}

/** Rejects a part that refers to a file by id, in any protocol. */
export function checkNoFileId(part: unknown, at: string): void {
  if (!isRecord(part)) return
  const { file, source, image_url: image } = part
  const isNamed = [part, file, source, image].some((one) => isRecord(one) && typeof one.file_id === 'string')
  if (isNamed || part.type === 'container_upload')
    throw invalidMessage(
      at,
      'names a file by its id, but this service stores no files: send its content instead',
    )
}

/** Reads a message part. Returns its text, or its kind if the planner cannot read it. */
export type ReadPart = (part: unknown, at: string) => ReadablePart

interface ReadablePart {
  readonly text?: string
  readonly unseen?: string
}

/** Creates the 400 error for an invalid message. */
export function invalidMessage(at: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_messages', `${at} ${what}.`, at)
}

const unseen: Readonly<Record<string, string>> = {
  image_url: 'picture',
  input_image: 'picture',
  input_audio: 'recording',
  file: 'file',
}

/** Returns the kind for the type of a part. Undefined if the type is not in `kinds`. */
export function kindIn(kinds: Readonly<Record<string, string>>, type: unknown): string | undefined {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

function parsePart(part: unknown, at: string): ReadablePart {
  if (isRecord(part)) {
    if ((part.type === 'text' || part.type === 'input_text') && typeof part.text === 'string')
      return { text: part.text }
    if (part.type === 'refusal' && typeof part.refusal === 'string') return { text: part.refusal }
    const kind = kindIn(unseen, part.type)
    if (kind !== undefined) return { unseen: kind }
  }
  throw invalidMessage(
    at,
    'must be {"type": "text", "text": "..."}, or an image_url, input_audio or file part',
  )
}
