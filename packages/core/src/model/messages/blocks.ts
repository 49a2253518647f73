// Content blocks of the Messages interface: from a reply to a message, and back.

import { writeJson } from '../../features/reply-forms/lenient-json.js'
import { isRecord, type Json, listOf, tryJson } from '../../json.js'
import type { AssistantMessage, ToolCall } from '../../types/message.js'
import { callsOf, textOf } from '../../types/message.js'
import type { HostedCall, ModelReply, Source } from '../../types/model.js'
import { isEmptyValue, toText } from '../reply-fields.js'
import { isOfAnother, type ServerForm, toJson, toShortId } from '../request-body.js'

/** A content block as a server sends it and accepts it back. */
export type Block = Readonly<Record<string, unknown>>

/**
 * Returns the message for complete blocks. If text and calls cannot represent them in full (thinking, citations, hosted
 * tools), the field `message_blocks` also keeps the blocks in order. That field does not repeat the message's content,
 * so no copy of the old text remains if the text is changed.
 */
export function toReplyMessage(blocks: readonly Block[]): Pick<ModelReply, 'message' | keyof Findings> {
  const text = collect(blocks, 'text').join('')
  const calls = blocks.filter(isCall).map(toCall)
  const message: AssistantMessage = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  if (isPlain(blocks)) return { message }
  const thoughts = collect(blocks, 'thinking').filter(Boolean)
  const further = {
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join(thoughtBreak) } : {}),
    message_blocks: blocks.map(toKept),
  }
  return { message: { ...further, ...message }, ...findingsIn(blocks) }
}

function collect(blocks: readonly Block[], field: 'text' | 'thinking'): readonly string[] {
  return blocks.filter(({ type }) => type === field).map((block) => toText(block[field]))
}

/** Separates the text of two thinking blocks. */
export const thoughtBreak = '\n\n'

function isCall({ type }: Block): boolean {
  return type === 'tool_use'
}

function toCall({ id, name, input }: Block): ToolCall {
  const text = typeof input === 'string' ? input : writeJson(input ?? {})
  return { id: toText(id), type: 'function', function: { name: toText(name), arguments: text } }
}

/** Whether a message with text and calls fully represents the blocks: text first, without other fields. */
function isPlain(blocks: readonly Block[]): boolean {
  let hasCall = false
  for (const block of blocks) {
    hasCall ||= isCall(block)
    const isHeld = isCall(block) || (block.type === 'text' && !hasCall)
    if (!isHeld || hasFurther(block)) return false
  }
  return true
}

const heldFields = ['type', 'text', 'thinking', 'id', 'name', 'input']

function hasFurther(block: Block): boolean {
  for (const name in block) if (isFurther(name, block[name])) return true
  return false
}

/** Whether a field of a text, thinking or call block is missing from the block's message. */
function isFurther(name: string, value: unknown): boolean {
  return !heldFields.includes(name) && !isEmptyValue(value) && !isDirect(value)
}

/** Returns the fields of a text, thinking or call block that the message does not contain. */
function furtherOf(block: Block): Block {
  return Object.fromEntries(Object.entries(block).filter(([name, value]) => isFurther(name, value)))
}

/** Whether a value only states that the model made the call itself, which is true of every call. */
function isDirect(value: unknown): boolean {
  return isRecord(value) && value.type === 'direct'
}

/** Returns a block for `message_blocks`. Text and thinking are replaced by their length within the message's text. */
function toKept(block: Block): Block {
  const { type } = block
  if (type === 'text') return { type, length: toText(block.text).length, ...furtherOf(block) }
  // An empty signature is sent back as well.
  if (type === 'thinking') {
    const { signature } = block
    return {
      type,
      length: toText(block.thinking).length,
      ...furtherOf(block),
      ...(signature === '' && { signature }),
    }
  }
  return isCall(block) ? { type, ...furtherOf(block) } : block
}

interface Findings {
  readonly hostedCalls?: readonly HostedCall[]
  readonly sources?: readonly Source[]
}

function findingsIn(blocks: readonly Block[]): Findings {
  const hostedCalls = hostedCallsIn(blocks)
  const sources: Source[] = []
  let start = 0
  for (const { type, text, citations } of blocks) {
    if (type !== 'text') continue
    const end = start + toText(text).length
    for (const citation of listOf(citations))
      if (isRecord(citation)) sources.push(toSource(citation, start, end))
    start = end
  }
  return {
    ...(hostedCalls.length > 0 ? { hostedCalls } : {}),
    ...(sources.length > 0 ? { sources } : {}),
  }
}

/** Returns the calls that the server ran itself, each with its result. */
export function hostedCallsIn(blocks: readonly Block[]): readonly HostedCall[] {
  const results = new Map<unknown, Block>()
  for (const block of blocks)
    if (block.tool_use_id !== undefined && !results.has(block.tool_use_id))
      results.set(block.tool_use_id, block)
  return blocks.filter(isHostedCall).map((block) => toHostedCall(block, results.get(block.id)))
}

/** Whether a block is a call that the server ran itself: `server_tool_use`, `mcp_tool_use`. */
function isHostedCall(block: Block): boolean {
  return /._tool_use$/.test(toText(block.type))
}

function toHostedCall(call: Block, result: Block | undefined): HostedCall {
  const { content } = Object(result)
  const isFailed = result?.is_error === true || /error/.test(toText(Object(content).type))
  const details = (result ? { ...call, result: content } : call) as Json
  const isLong = writeJson(details).length > maxDetails
  return {
    type: toText(call.name),
    ...(toText(call.id) === '' ? {} : { id: toText(call.id) }),
    status: result ? (isFailed ? 'failed' : 'completed') : 'in_progress',
    // The history keeps the full result for the server.
    details: isLong ? ({ ...call, result: null } as Json) : details,
  }
}

/** Maximum number of characters in a hosted call's details. */
const maxDetails = 64 * 1024

function toSource(citation: Block, start: number, end: number): Source {
  const { url, source = url, title, document_title, cited_text } = citation
  const [address, name, text] = [toText(source), toText(title) || toText(document_title), toText(cited_text)]
  return {
    ...(address === '' ? {} : { url: address }),
    ...(name === '' ? {} : { title: name }),
    ...(text === '' ? {} : { text }),
    start,
    end,
  }
}

/**
 * Returns the blocks of a model message as JSON strings. Kept blocks are sent back only to the server that they came
 * from; a different server gets text and calls.
 */
export function writeReplyBlocks(message: AssistantMessage, form: ServerForm): readonly string[] {
  const { message_blocks: kept } = message
  const calls = callsOf(message)
  const isRefused = form.withoutOwnFields?.includes('message_blocks')
  if (!Array.isArray(kept) || isRefused || isOfAnother(message, form))
    return [
      ...writeText(textOf(message.content) || (message.refusal ?? '')),
      ...calls.map((call) => writeCall(call, form)),
    ]
  return new KeptBlocks(message, form).write(kept.filter(isRecord))
}

/** Writes kept blocks, with the current text and calls of the message. */
class KeptBlocks {
  readonly #form: ServerForm
  readonly #text: string
  readonly #reasoning: string
  readonly #calls: readonly ToolCall[]
  #callAt = 0
  #textAt = 0
  #reasoningAt = 0

  constructor(message: AssistantMessage, form: ServerForm) {
    this.#form = form
    this.#text = textOf(message.content)
    this.#reasoning = toText(message.reasoning_content)
    this.#calls = callsOf(message)
  }

  write(kept: readonly Block[]): readonly string[] {
    const isSameText = lengthOf(kept, 'text') === this.#text.length
    const isSameThought = lengthOf(kept, 'thinking') === this.#reasoning.length
    const broken = brokenIds(kept)
    const written = kept.flatMap((block) => {
      if (block.type === 'text') return this.#writeText(block, isSameText)
      if (block.type === 'thinking') return isSameThought ? this.#writeThinking(block) : []
      if (isCall(block)) return this.#writeCalls(1, block)
      return broken.has(block.tool_use_id ?? block.id) ? [] : [toJson(block)]
    })
    // Changed text may be longer than the text of the blocks.
    const rest = this.#text.slice(this.#textAt)
    return [...written, ...writeText(rest), ...this.#writeCalls(this.#calls.length)]
  }

  /** Writes up to `count` of the next calls, with the additional fields in `further`. */
  #writeCalls(count: number, further?: Block): readonly string[] {
    const calls = this.#calls.slice(this.#callAt, this.#callAt + count)
    this.#callAt += calls.length
    return calls.map((call) => writeCall(call, this.#form, further))
  }

  #writeText({ length, type: _, citations, ...further }: Block, isSame: boolean): readonly string[] {
    const start = this.#textAt
    this.#textAt = isSame ? start + Number(length) : this.#text.length
    const cited = isSame && Array.isArray(citations) ? { citations: citations.map(withoutFile) } : {}
    return writeText(this.#text.slice(start, this.#textAt), isSame ? { ...further, ...cited } : {})
  }

  #writeThinking({ type, length, ...further }: Block): readonly string[] {
    const start = this.#reasoningAt + (this.#reasoningAt > 0 && Number(length) > 0 ? thoughtBreak.length : 0)
    if (Number(length) > 0) this.#reasoningAt = start + Number(length)
    const thinking = this.#reasoning.slice(start, start + Number(length))
    return [toJson({ type, thinking, ...further })]
  }
}

/** Returns the length of the text that the kept blocks of a type represent. */
function lengthOf(kept: readonly Block[], field: 'text' | 'thinking'): number {
  const lengths = kept.filter(({ type }) => type === field).map(({ length }) => Number(length) || 0)
  const filled = lengths.filter((length) => length > 0).length
  const breaks = field === 'thinking' ? Math.max(0, filled - 1) * thoughtBreak.length : 0
  return lengths.reduce((sum, length) => sum + length, breaks)
}

/** Removes a file id from a citation, because requests do not accept it. */
function withoutFile(citation: unknown): unknown {
  if (!isRecord(citation)) return citation
  const { file_id: _, ...rest } = citation
  return rest
}

/** Returns the ids of hosted calls whose result is incomplete, because its document became an artifact. */
function brokenIds(kept: readonly Block[]): ReadonlySet<unknown> {
  const broken = kept.filter(({ content }) => {
    const { content: document } = Object(content)
    return Object(document).type === 'document' && !isRecord(Object(document).source)
  })
  return new Set(broken.flatMap(({ id, tool_use_id }) => [id, tool_use_id]).filter((id) => id !== undefined))
}

/** Returns a text block, or nothing for empty text, which servers reject. */
export function writeText(text: string, further: Block = {}): readonly string[] {
  return text.trim() === '' ? [] : [toJson({ type: 'text', text, ...further })]
}

function writeCall(
  { id, function: { name, arguments: text } }: ToolCall,
  form: ServerForm,
  further: Block = {},
) {
  const call = toJson({ ...further, type: 'tool_use', id: toBlockId(id, form), name })
  return `${call.slice(0, -1)},"input":${toInput(text)}}`
}

/** Returns arguments unchanged: parsing would change large numbers. */
function toInput(text: string): string {
  const value = tryJson(text)
  if (!isRecord(value)) return '{}'
  return /\\ud[89a-f]/i.test(text) || !text.isWellFormed() ? toJson(value) : text
}

/** Returns a call's id in the format that this interface accepts. */
export function toBlockId(id: string, form: ServerForm): string {
  return form.shortIds || !/^[\w-]+$/.test(id) ? toShortId(id) : id
}
