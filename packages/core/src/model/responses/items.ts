// The output items of `/responses`: which of their fields a plain message lacks, and how they are sent back.

import { isRecord, type Json } from '../../json.js'
import { type AssistantMessage, textOf } from '../../types/message.js'
import type { HostedCall, Source } from '../../types/model.js'
import { isEmptyValue, isFilled, isShallow, type RawJson, toText } from '../reply-fields.js'

/** Returns the content parts of the message items, in order. */
export function partsOf(items: readonly RawJson[]): readonly RawJson[] {
  return items.filter(({ type }) => type === 'message').flatMap(({ content }) => contentOf(content))
}

/** Returns the content parts of an item. Some servers write a plain string instead of an array. */
function contentOf(content: unknown): readonly RawJson[] {
  return typeof content === 'string' ? [{ type: 'output_text', text: content }] : recordsOf(content)
}

/** Returns the objects in an array. `[]` for any other value. */
export function recordsOf(list: unknown): readonly RawJson[] {
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/**
 * Returns the items to keep with the message, without what the message already contains: the arguments of calls, and a
 * single text part. Undefined when the message contains everything.
 */
export function keptItems(items: readonly RawJson[]): readonly RawJson[] | undefined {
  const sendable = items.filter(isSendable)
  const kept = items.filter(isKeptAmong(items))
  if (sendable.every(isPlain)) return undefined
  const isSingle = partsOf(kept).filter(isText).length === 1
  // A server uses an item's id to find the reasoning that belongs to the item, and requires that reasoning.
  const hasIds = items.filter(isReasoning).length === kept.filter(isReasoning).length
  return kept.map((item) => {
    const { id, ...rest } = item
    const own = hasIds && !isEmptyValue(id) ? { id } : {}
    if (isCall(item)) return { type: 'function_call', ...own }
    if (item.type !== 'message') return item
    return { ...own, ...(isSingle ? withoutText(rest) : rest) }
  })
}

export function isCall({ type }: RawJson): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function isReasoning({ type }: RawJson): boolean {
  return type === 'reasoning'
}

/**
 * Returns a function that tells whether an item is sent back. A server rejects reasoning without the item that followed
 * it.
 */
function isKeptAmong(items: readonly RawJson[]): (item: RawJson, at: number) => boolean {
  const isKept: boolean[] = []
  let isFollowed = false
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at] as RawJson
    const isSent = isSendable(item)
    if (!isReasoning(item)) isFollowed = isSent
    isKept[at] = isSent && isFollowed
  }
  return (_, at) => isKept[at] === true
}

/**
 * Whether a server accepts an item back. Servers do not accept generated images, which have become artifacts by then;
 * reasoning without its text, if the server stores nothing; and items that need an output which only their own client
 * can send.
 */
function isSendable(item: RawJson): boolean {
  const { type, status } = item
  if (isReasoning(item)) return isFilled(item.encrypted_content) || recordsOf(item.content).length > 0
  if (unsendable.includes(toText(type))) return false
  return !isFilled(status) || status === 'completed' || isAnswer(type)
}

const unsendable = [
  ...['image_generation_call', 'computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call'],
  'mcp_approval_request',
]

function isAnswer(type: unknown): boolean {
  return type === 'message' || isCall({ type })
}

/** Whether the message contains everything in an item except its id. */
function isPlain(item: RawJson): boolean {
  const { type, content, phase, namespace, caller } = item
  if (type === 'message')
    return isEmptyValue(phase) && contentOf(content).every((part) => isText(part) && hasOnlyText(part))
  return type === 'function_call' && isEmptyValue(namespace) && isEmptyValue(caller)
}

function isText({ type }: RawJson): boolean {
  return type === 'output_text' || type === 'text'
}

function hasOnlyText(part: RawJson): boolean {
  return Object.entries(part).every(
    ([name, value]) => name === 'type' || name === 'text' || isEmptyValue(value),
  )
}

function withoutText(item: RawJson): RawJson {
  const content = contentOf(item.content).map((part) => {
    if (!isText(part)) return part
    const { text: _text, logprobs: _logprobs, ...rest } = part
    return rest
  })
  return { ...item, content }
}

/**
 * Returns a reply's items as its server accepts them back, with the message's current text and calls. Undefined if
 * there are no items, or if they no longer match the message.
 */
export function itemsOf(
  message: AssistantMessage,
  calls: readonly RawJson[],
): readonly RawJson[] | undefined {
  const items = recordsOf(message.response_items)
  const slots = items.filter(({ type }) => type === 'function_call')
  if (items.length === 0 || slots.length !== calls.length) return undefined
  const text = textOf(message.content)
  const texts = partsOf(items).filter(isText)
  const isOpen = texts.length === 1 && texts[0]?.text === undefined
  // A middleware has changed the text: the items would still contain the text that was removed.
  if (!isOpen && texts.map((part) => toText(part.text)).join('') !== text) return undefined
  let next = 0
  return items.map((item) => {
    if (item.type === 'function_call') return { ...item, ...calls[next++] }
    return item.type === 'message' && isOpen ? withText(item, text) : item
  })
}

function withText(item: RawJson, text: string): RawJson {
  const content = contentOf(item.content).map((part) => (isText(part) ? { ...part, text } : part))
  return { ...item, content }
}

/** Item types other than hosted tool calls. */
const answers = ['message', 'reasoning', 'function_call', 'custom_tool_call', 'compaction']

/**
 * Returns the calls that the server's own tools ran. Generated images are omitted here, because the message contains
 * them.
 */
export function hostedCallsOf(items: readonly RawJson[]): readonly HostedCall[] {
  return items
    .filter(({ type }) => toText(type) !== '' && !answers.includes(toText(type)))
    .map((item) => {
      const { result, ...rest } = item
      const details = item.type === 'image_generation_call' ? rest : item
      const [id, status] = [toText(item.id), toText(item.status)]
      return {
        type: toText(item.type),
        ...(id === '' ? {} : { id }),
        ...(status === '' ? {} : { status }),
        details: (isShallow(details, 100) ? details : {}) as Json,
      }
    })
}

/** Returns the sources of annotations, with their positions in the text of the full reply. */
export function sourcesOf(items: readonly RawJson[]): readonly Source[] {
  let before = 0
  return partsOf(items).flatMap((part) => {
    const start = before
    if (isText(part)) before += toText(part.text).length
    return recordsOf(part.annotations).flatMap((annotation) => toSource(annotation, start) ?? [])
  })
}

function toSource(annotation: RawJson, offset: number): Source | undefined {
  // Some servers nest the fields of a citation in an object, as in chat completions.
  const nested = annotation[toText(annotation.type)]
  const { url, title, filename, start_index: start, end_index: end } = isRecord(nested) ? nested : annotation
  const [address, name] = [toText(url), toText(title) || toText(filename)]
  if (address === '' && name === '') return undefined
  return {
    ...(address === '' ? {} : { url: address }),
    ...(name === '' ? {} : { title: name }),
    ...(typeof start === 'number' ? { start: start + offset } : {}),
    ...(typeof end === 'number' ? { end: end + offset } : {}),
  }
}
