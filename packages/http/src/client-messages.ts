// Messages from clients, in the chat completions format. Each message is rebuilt from the fields that the routes
// document. Other fields are for servers only: a client could use them to act as the operator.

import type { AssistantMessage, ContentPart, Message, ToolCall } from '@capstan/core'
import { isRecord, textOf } from '@capstan/core/internal'
import { isGiven } from '@capstan/protocols/input'
import { type HttpError, invalidRequest } from './http-error.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns a client's message with only its documented fields: `role`, `content` and `name`; in replies, also
 * `tool_calls`, `refusal` and `images`; in results, also `tool_call_id`.
 * @throws HttpError 400 for an invalid message, an unsupported part, or a file given by id
 */
export function readMessage(given: unknown): Message {
  if (!isRecord(given)) throw invalidRequest('A message must be an object.')
  const { role, content, name, tool_call_id } = given
  const named = textsIn({ name })
  switch (role) {
    case 'system':
    case 'developer':
      // Use `system`, because every server accepts it.
      return { role: 'system', content: readText(content), ...named }
    case 'user':
      return { role, content: readContent(content), ...named }
    case 'assistant':
      return { ...readReply(given), ...named }
    case 'tool':
      // The core checks the id.
      return { role, tool_call_id: tool_call_id as string, content: readText(content) }
    default:
      throw wrongRole(role)
  }
}

/** Creates the error for a role that the protocol does not define. */
export function wrongRole(role: unknown): HttpError {
  return invalidRequest(
    `A message has the unknown role ${toShown(role)}. Use a role that the protocol defines.`,
  )
}

/** Returns the content of a message that may only contain text, with its parts joined. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return textOf(content.filter(isGiven).map(readTextPart))
  throw wrongContent()
}

function wrongContent(): HttpError {
  return invalidRequest("A message's `content` must be a string or an array of parts.")
}

function readTextPart(part: unknown): ContentPart {
  const { type, text } = partOf(part)
  if (type === 'text' && typeof text === 'string') return { type, text }
  throw wrongPart(type, 'text parts with a string in this message')
}

function readContent(content: unknown): string | readonly ContentPart[] {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(readPart)
  throw wrongContent()
}

/**
 * Reads a part of a user message.
 * @throws HttpError 400 for an unsupported type, or a file given by id
 */
export function readPart(part: unknown): ContentPart {
  const { type, image_url: image, input_audio: audio, file } = partOf(part)
  switch (type) {
    case 'image_url': {
      const { url, detail }: Fields = isRecord(image) ? image : { url: image }
      return { type, image_url: { url: readUrl(url), ...textsIn({ detail }) } }
    }
    case 'input_audio': {
      const { data, format } = Object(audio) as Fields
      return { type, input_audio: { data: readData(data), ...textsIn({ format }) } }
    }
    case 'file': {
      const { file_data: data, filename } = Object(file) as Fields
      return { type, file: { file_data: readData(data), ...textsIn({ filename }) } }
    }
    case 'text':
      return readTextPart(part)
    default:
      throw wrongPart(type, 'text, image_url, input_audio and file parts')
  }
}

/** Checks that a file is an HTTP or `data:` URL. File ids are rejected, because they refer to the operator's files. */
export function readUrl(url: unknown): string {
  if (typeof url === 'string' && /^(data:|https?:\/\/)/i.test(url)) return url
  throw withoutData()
}

function readData(data: unknown): string {
  return typeof data === 'string' && /^[a-z0-9+/=\s]+$/i.test(data) ? data : readUrl(data)
}

/** Creates the error for a file given by id. */
export function withoutData(): HttpError {
  return invalidRequest('A file was sent without its data. This server stores no files: send a data: URL.')
}

function readReply({ content, refusal, tool_calls: calls, images, audio, function_call: old }: Fields) {
  if (isGiven(audio))
    throw invalidRequest(
      '`audio` refers to stored audio, but this server stores none. Send its transcript as text.',
    )
  if (isGiven(old)) throw invalidRequest('`function_call` is not supported. Send `tool_calls`.')
  if (isGiven(calls) && !Array.isArray(calls)) throw invalidRequest('`tool_calls` must be an array.')
  return {
    role: 'assistant' as const,
    ...readSaid(content),
    ...textsIn({ refusal }),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls.map(readCall) } : {}),
    ...(Array.isArray(images) ? { images: images.map(readImage) } : {}),
  }
}

/** Returns a reply's text and refusal, with the parts of each joined. */
function readSaid(content: unknown): Pick<AssistantMessage, 'content' | 'refusal'> {
  if (!isGiven(content)) return { content: null }
  if (typeof content === 'string') return { content }
  if (!Array.isArray(content)) throw wrongContent()
  let refused = ''
  const parts = content.map((part) => {
    const { type, refusal } = partOf(part)
    if (type !== 'refusal' || typeof refusal !== 'string') return readTextPart(part)
    refused += refusal
    return { type }
  })
  return { content: textOf(parts), ...(refused === '' ? {} : { refusal: refused }) }
}

/** Reads an image in a reply's `images`, which some servers send in addition to `content`. */
function readImage(part: unknown): ContentPart {
  const { type } = partOf(part)
  if (type === 'image_url') return readPart(part)
  throw wrongPart(type, 'image_url parts in `images`')
}

function readCall(call: unknown): ToolCall {
  const { id, type = 'function', function: called } = isRecord(call) ? call : ({} as Fields)
  if (type !== 'function' || !isRecord(called))
    throw invalidRequest('A tool call must be { id, type: "function", function: { name, arguments } }.')
  // The core checks their types.
  return { id, type, function: { name: called.name, arguments: called.arguments } } as ToolCall
}

function textsIn(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === 'string'),
  ) as Record<string, string>
}

function partOf(part: unknown): Fields {
  if (isRecord(part)) return part
  throw invalidRequest('A message part must be an object with a `type`.')
}

/** Creates the error for a part of an unknown type. `known` names the supported types. */
export function wrongPart(type: unknown, known: string): HttpError {
  return invalidRequest(`Parts of type ${toShown(type)} are not supported. Send ${known}.`)
}

/** Formats a client's value for an error: as JSON, cut to 100 characters. */
export function toShown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 100)
}
