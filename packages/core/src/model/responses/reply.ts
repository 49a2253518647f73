import { CapstanError } from '../../errors.js'
import { toFinishReason, unreadable, writeJson } from '../../features/reply-forms/lenient-json.js'
import { isHeartbeatJson } from '../../features/reply-forms/stream-events.js'
import { isRecord, setOwn } from '../../json.js'
import type { AssistantMessage, Content, ToolCall } from '../../types/message.js'
import type { HostedCall, ModelReply, ModelSink } from '../../types/model.js'
import { note } from '../../types/model.js'
import type { BuilderOptions, ReplyBuilder } from '../protocol.js'
import {
  boundUnknownFields,
  isEmptyValue,
  isFilled,
  maxItems,
  type RawJson,
  toResponse,
  toText,
  toTokens,
} from '../reply-fields.js'
import { failedWithoutMessage, tooManyItems, truncatedReply } from '../response-errors.js'
import {
  argumentsOf,
  ItemSlot,
  identityOf,
  likenessOf,
  type Piece,
  piecesOf,
  reasoningOf,
  thoughtBreak,
  toPlainText,
} from './item-slot.js'
import { hostedCallsOf, isCall, keptItems, partsOf, recordsOf, sourcesOf } from './items.js'

/** Builds one reply from a response of `/responses`, or from the events of its stream. */
export class ResponseBuilder implements ReplyBuilder {
  readonly isNamed = true
  isFinished = false
  readonly #sink: ModelSink | undefined
  readonly #toFailure: BuilderOptions['toFailure']
  readonly #slots: ItemSlot[] = []
  /** The newest item for each index and for each id. */
  readonly #byIndex = new Map<number, ItemSlot>()
  readonly #byId = new Map<string, ItemSlot>()
  /** The index after the highest one so far. */
  #next = 0
  /** The last piece of reasoning that was emitted. */
  #thought: Piece | undefined
  /** The response object as the server last sent it. */
  #response: RawJson = {}
  #calls = 0

  constructor({ sink, toFailure }: BuilderOptions) {
    this.#sink = sink
    this.#toFailure = toFailure
  }

  /** Adds an event. Skips unknown types. */
  addPlain(event: RawJson): boolean {
    // The response has ended: what follows cannot change it.
    if (this.isFinished) return true
    const { type } = event
    if (typeof type !== 'string' || type === '') return false
    if (type === 'error' || type === 'response.error')
      throw this.#failure(isRecord(event.error) ? event.error : event)
    if (!type.startsWith('response.')) {
      // Some servers send a failure with its kind as the type, without a field around it.
      const isFailed = /error|invalid|exceed/i.test(type) || isFilled(event.error) || event.object === 'error'
      const isOther = !isHeartbeatJson(event) && !isFailed
      if (isOther) note('event-passed-over', event)
      return isOther
    }
    if (isRecord(event.response)) this.#addResponse(event.response, type)
    else this.#addToItem(event, type.slice('response.'.length))
    return true
  }

  add(event: RawJson): void {
    if (event.object === 'response') {
      note('body-for-stream')
      this.#addResponse(event, 'response.completed')
    }
    // An event with choices is a chat completion. Any other event belongs to no known interface.
    else if (!isEmptyValue(event.choices)) throw unreadable('an event', event)
    else note('event-passed-over', event)
  }

  addBody(body: RawJson, text: string): void {
    const response = isRecord(body.response) ? body.response : body
    const { output, status } = response
    const isKnown = /^(failed|cancelled|incomplete|in_progress|queued)$/.test(toText(status))
    // Some servers have a different name for the end.
    const end = isKnown ? toText(status) : 'completed'
    const isEmpty = isEmptyValue(output) ? !Array.isArray(output) : recordsOf(output).length === 0
    if (/^(in_progress|queued)$/.test(end) || (end === 'completed' && isEmpty))
      throw withoutOutput(response, text)
    this.#addResponse(response, `response.${end}`)
  }

  finish(): ModelReply {
    const slots = this.#slots.sort((one, other) => one.index - other.index)
    const items = slots.map((slot) => slot.toItem()).filter((item) => item !== undefined)
    const calls = items.flatMap((item) => toCall(item) ?? [])
    if (calls.length > 0 && !this.isFinished) throw truncatedReply(calls)
    if (!this.isFinished && items.length === 0) throw withoutReply()
    const { message, omitted: left } = boundUnknownFields(toMessage(items, calls))
    const hosted = hostedCallsOf(items)
    const { extra: { hosted_calls, ...extra } = {}, omitted, response } = this.#beside(hosted)
    const finishReason = finishReasonOf(this.#response, calls)
    const tokens = toTokens(this.#response.usage)
    const sources = sourcesOf(items)
    const allOmitted = omitted ? [...left, ...omitted] : left
    return {
      message,
      ...(isEmptyValue(extra) ? {} : { extra }),
      ...(response ? { response } : {}),
      ...(allOmitted.length > 0 ? { omitted: allOmitted } : {}),
      ...(this.isFinished ? { finishReason } : { incomplete: true }),
      ...(tokens ? { tokens } : {}),
      ...(hosted_calls ? { hostedCalls: hosted } : {}),
      ...(sources.length > 0 ? { sources } : {}),
    }
  }

  /** Returns the other fields of the response, without the request fields that the server repeats. */
  #beside(hosted: readonly HostedCall[]) {
    const fields: Record<string, unknown> = hosted.length > 0 ? { hosted_calls: hosted } : {}
    for (const name in this.#response) if (!repeated.has(name)) setOwn(fields, name, this.#response[name])
    return toResponse(fields)
  }

  #addResponse(response: RawJson, type: string): void {
    this.#response = response
    const status = type.slice('response.'.length)
    if (status === 'failed' || status === 'cancelled' || isFilled(response.error))
      throw this.#failure(response.error, status)
    if (status !== 'completed' && status !== 'incomplete') return
    this.#addOutput(recordsOf(response.output))
    this.isFinished = true
  }

  /** Adds the items of the complete response. Servers may omit items that they have already sent. */
  #addOutput(output: readonly RawJson[]): void {
    const slots = [...this.#slots]
    const byIdentity = new Unclaimed(slots, (slot) => slot.identities)
    const found = output.map((item) => byIdentity.take(identityOf(item) ?? ''))
    const rest = slots.filter((slot) => !byIdentity.taken.has(slot))
    const byLikeness = new Unclaimed(rest, (slot) => [likenessOf(slot.toItem() ?? {})])
    for (const [at, item] of output.entries()) {
      const slot = found[at] ?? (rest.length > 0 ? byLikeness.take(likenessOf(item)) : undefined)
      if (slot && !found[at]) note('call-again', item)
      ;(slot ?? this.#open(this.#byIndex.has(at) ? this.#next : at)).addWhole(item)
    }
  }

  #addToItem(event: RawJson, type: string): void {
    const { item, delta } = event
    if (isRecord(item)) {
      const slot = this.#find(event, item)
      if (type === 'output_item.done') slot.addWhole(item)
      else slot.begin(item)
      for (const id of [slot.id, toText(item.call_id)]) if (id !== '') this.#byId.set(id, slot)
      return
    }
    if (isRecord(event.annotation)) this.#find(event).addSource(event.annotation, event)
    const kind = piecesOf.get(type)
    if (!kind) return
    const slot = this.#find(event)
    if (typeof delta === 'string') slot.addPiece(kind, delta, event)
    else if (type.endsWith('.done')) slot.endPiece(kind, event)
  }

  /**
   * Finds the item that an event belongs to: by index, by id, or else the last item. Some servers use the same index
   * for all items.
   */
  #find(event: RawJson, item?: RawJson): ItemSlot {
    const { output_index: index, item_id } = event
    const isIndexed = typeof index === 'number'
    const id = toText(item ? item.id : item_id)
    const known = this.#byId.get(id || toText(item?.call_id))
    const named = isIndexed && known?.index !== index ? undefined : known
    const there = isIndexed ? this.#byIndex.get(index) : undefined
    const found = item ? [there, named].find((slot) => slot && !slot.isOther(item)) : (named ?? there)
    const last = found || isIndexed || (item && id !== '') ? undefined : this.#lastFor(event, item)
    return found ?? last ?? this.#open(isIndexed ? index : this.#next)
  }

  #lastFor(event: RawJson, item?: RawJson): ItemSlot | undefined {
    const last = this.#slots.at(-1)
    if (item && (!last || last.isWhole || last.isOther(item))) return undefined
    note('call-by-order', event)
    return last
  }

  /** Adds a slot for the item at this index. */
  #open(index: number): ItemSlot {
    if (this.#slots.length === maxItems) throw tooManyItems('items')
    const slot = new ItemSlot(index, this.#tell)
    this.#slots.push(slot)
    this.#byIndex.set(index, slot)
    this.#next = Math.max(this.#next, index + 1)
    return slot
  }

  readonly #tell = (slot: ItemSlot, piece: Piece, text: string): void => {
    if (!this.#sink) return
    const { kind } = piece
    if (kind === 'call') {
      slot.call ??= this.#calls++
      this.#sink({ type: 'call', index: slot.call, id: slot.callId, name: slot.name, arguments: text })
    } else if (text === '' || kind === 'refusal') return
    else if (kind === 'text') this.#sink({ type: 'text', text })
    else {
      const isNext = this.#thought !== undefined && this.#thought !== piece
      this.#thought = piece
      this.#sink({ type: 'reasoning', text: isNext ? thoughtBreak + text : text })
    }
  }

  #failure(error: unknown, status = 'error'): CapstanError {
    if (!isRecord(error) || isEmptyValue(error)) {
      if (toText(error) === '') return failedWithoutMessage(`the status "${status}"`)
      return this.#toFailure(writeJson({ error }))
    }
    // Without a status, server errors could not be distinguished from errors in the request.
    const isOfRequest = ofRequest.test(toText(error.code)) && !('status' in error)
    return this.#toFailure(writeJson({ error: isOfRequest ? { ...error, status: 400 } : error }))
  }
}

/** Items by key. Each item is returned only once, even if it has several keys. */
class Unclaimed {
  readonly taken = new Set<ItemSlot>()
  readonly #byKey = new Map<string, ItemSlot[]>()

  constructor(slots: readonly ItemSlot[], toKeys: (slot: ItemSlot) => readonly string[]) {
    for (const slot of [...slots].reverse())
      for (const key of toKeys(slot)) {
        const same = this.#byKey.get(key)
        if (same) same.push(slot)
        else this.#byKey.set(key, [slot])
      }
  }

  take(key: string): ItemSlot | undefined {
    const same = this.#byKey.get(key) ?? []
    let slot = same.pop()
    while (slot && this.taken.has(slot)) slot = same.pop()
    if (slot) this.taken.add(slot)
    return slot
  }
}

/** Codes of errors that the same request would cause again. */
const ofRequest =
  /^(invalid_(?!api_key)|image_|unsupported_|empty_|failed_to_download|data_residency|bio_policy|cyber_policy|misalign|context_length)/

/** Fields of a response that are read elsewhere, or repeat the request. */
const repeated = new Set([
  ...['object', 'created_at', 'completed_at', 'status', 'error', 'incomplete_details', 'output', 'usage'],
  ...['output_text', 'background', 'conversation', 'frequency_penalty', 'instructions', 'max_output_tokens'],
  ...['max_tool_calls', 'metadata', 'parallel_tool_calls', 'presence_penalty', 'previous_response_id'],
  ...['prompt', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'reasoning'],
  ...['safety_identifier', 'store', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p'],
  ...['truncation', 'user', 'moderation', 'content_filters'],
])

function toCall(item: RawJson): ToolCall | undefined {
  if (!isCall(item)) return undefined
  const type = item.type === 'custom_tool_call' ? 'custom' : 'function'
  // `custom` is not a common type. The reply is normalized later, so that servers accept it back.
  return {
    id: toText(item.call_id) || toText(item.id),
    type: type as 'function',
    function: { name: toText(item.name), arguments: argumentsOf(item) },
  }
}

function toMessage(items: readonly RawJson[], calls: readonly ToolCall[]): AssistantMessage {
  const parts = partsOf(items)
  const text = parts.map(toPlainText).join('')
  const refusal = parts.map((part) => (part.type === 'refusal' ? toText(part.refusal) : '')).join('')
  const reasoning = items
    .filter(({ type }) => type === 'reasoning')
    .map(reasoningOf)
    .filter((one) => one !== '')
    .join(thoughtBreak)
  const kept = keptItems(items)
  return {
    role: 'assistant',
    content: toContent(text, items),
    ...(refusal === '' ? {} : { refusal }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(kept && kept.length > 0 ? { response_items: kept } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Returns the text and the images that the server generated. The images become artifacts. */
function toContent(text: string, items: readonly RawJson[]): Content {
  const pictures = items
    .filter(({ type, result }) => type === 'image_generation_call' && isFilled(result))
    .map(({ result, output_format: format }) => {
      const kind = toText(format) || 'png'
      return { type: 'image_url', image_url: { url: `data:image/${kind};base64,${toText(result)}` } }
    })
  if (pictures.length === 0) return text
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...pictures]
}

/** Returns the finish reason, under its name in chat completions. */
function finishReasonOf(response: RawJson, calls: readonly ToolCall[]): string {
  const { status, incomplete_details: details } = response
  if (status !== 'incomplete') return calls.length > 0 ? 'tool_calls' : 'stop'
  const reason = isRecord(details) ? details.reason : undefined
  return reason !== 'max_output_tokens' && toFinishReason(reason) === 'content_filter'
    ? 'content_filter'
    : 'length'
}

function withoutOutput(response: RawJson, text: string): CapstanError {
  const fields = Object.keys(response)
  const status = toText(response.status)
  const what = status === '' ? `only ${fields.slice(0, 10).join(', ')}` : `the status "${status}"`
  const message = `The model server replied without an output: it sent ${what}. Check that baseURL is a Responses server.`
  return new CapstanError('invalid_response', message, {
    retryable: true,
    evidence: { excerpt: text.slice(0, 200) },
  })
}

function withoutReply(): CapstanError {
  const message = 'The model server ended the stream without a response item. Send the request again.'
  return new CapstanError('invalid_response', message, { retryable: true })
}
