import { toErrorBody } from './errors.js'
import type {
  ReplyCall,
  ReplyEnd,
  ReplyError,
  ReplyUsage,
  StreamedReplyWriter,
  TextKind,
  TypedEvent,
} from './reply.js'

interface WriterOptions {
  readonly id: string
  readonly model: string
  /** The request's settings, which are repeated in the response. */
  readonly settings: object
  /** Creates an item id with this prefix. */
  newId(prefix: 'msg' | 'rs' | 'fc'): string
  /** Called with all items before the stream's end is sent. */
  onEnd(items: readonly OutputItem[]): void
}

/** An item in a response's `output`: a message, reasoning or a function call. */
export interface OutputItem {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

/** A text item that the model is still writing. */
interface OpenText {
  readonly id: string
  readonly kind: TextKind
  text: string
}

/** A call that the model is still writing. */
interface OpenCall {
  readonly item: OutputItem
  text: string
}

/** Writes a response in the Responses protocol, as stream events or as one object. */
export class ResponseWriter implements StreamedReplyWriter<TypedEvent> {
  readonly #options: WriterOptions
  /** The items that are complete. */
  readonly #items: OutputItem[] = []
  readonly #created = secondsNow()
  #open: OpenText | undefined
  #call: OpenCall | undefined
  #whole: object = {}
  #count = 0

  constructor(options: WriterOptions) {
    this.#options = options
  }

  start(): readonly TypedEvent[] {
    const response = this.#response('in_progress', { output: [], usage: null })
    return this.#numbered([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ])
  }

  add(kind: TextKind, text: string): readonly TypedEvent[] {
    const started = this.#open?.kind === kind ? [] : [...this.#close('completed'), ...this.#start(kind)]
    const open = this.#open
    if (!open || text === '') return this.#numbered(started)
    open.text += text
    const { name, inEvents } = forms[kind]
    const delta = { type: `response.${name}.delta`, ...this.#place(open.id), delta: text, ...inEvents }
    return this.#numbered([...started, delta])
  }

  addCalls(calls: readonly ReplyCall[]): readonly TypedEvent[] {
    return calls.flatMap((call) => [
      ...this.addToCall(call, ''),
      ...call.fragments.flatMap((text) => this.#numbered([this.#argumentsDelta(text)])),
      ...this.endCall(call.isCut),
    ])
  }

  addToCall({ id: call_id, name }: Pick<ReplyCall, 'id' | 'name'>, text: string): readonly TypedEvent[] {
    const begun = this.#call ? [] : this.#beginCall(call_id, name)
    return this.#numbered(text === '' ? begun : [...begun, this.#argumentsDelta(text)])
  }

  endCall(isCut = false): readonly TypedEvent[] {
    if (!this.#call) return []
    const { item, text } = this.#call
    this.#call = undefined
    const done = { ...item, status: isCut ? 'incomplete' : 'completed', arguments: text }
    const { content_index: _, ...place } = this.#place(item.id)
    return this.#numbered([
      { type: 'response.function_call_arguments.done', ...place, arguments: text },
      this.#itemDone(done),
    ])
  }

  #beginCall(call_id: string, name: string): readonly TypedEvent[] {
    const closed = this.#close('completed')
    const status = 'in_progress'
    const item = {
      id: this.#options.newId('fc'),
      type: 'function_call',
      status,
      call_id,
      name,
      arguments: '',
    }
    this.#call = { item, text: '' }
    return [...closed, this.#itemAdded(item, {})]
  }

  #argumentsDelta(delta: string): TypedEvent {
    const { content_index: _, ...place } = this.#place(this.#call?.item.id ?? '')
    if (this.#call) this.#call.text += delta
    return { type: 'response.function_call_arguments.delta', ...place, delta }
  }

  end({ finish, usage, isCut, more }: ReplyEnd): readonly TypedEvent[] {
    const closed = this.#close(isCut ? 'incomplete' : 'completed')
    this.#options.onEnd(this.#items)
    const reason = Object.hasOwn(reasons, finish) ? reasons[finish] : undefined
    const status = reason === undefined ? 'completed' : 'incomplete'
    this.#whole = this.#response(status, { output: this.#items, usage: toUsage(usage), ...more }, reason)
    return this.#numbered([...closed, { type: `response.${status}`, response: this.#whole }])
  }

  fail(error: ReplyError): readonly TypedEvent[] {
    const body = toErrorBody(error)
    // Some clients read the fields from `error`, others from the event itself.
    return this.#numbered([{ ...body, type: 'error', error: body }])
  }

  whole(): object {
    return this.#whole
  }

  #start(kind: TextKind): readonly TypedEvent[] {
    const id = this.#options.newId(kind === 'reasoning' ? 'rs' : 'msg')
    this.#open = { id, kind, text: '' }
    return [
      this.#itemAdded(toItem(this.#open, 'in_progress'), { content: [] }),
      { type: 'response.content_part.added', ...this.#place(id), part: toPart(kind, '') },
    ]
  }

  #close(status: ItemStatus): readonly TypedEvent[] {
    const open = this.#open
    if (!open) return []
    this.#open = undefined
    const { id, kind, text } = open
    const { name, field, inEvents } = forms[kind]
    return [
      { type: `response.${name}.done`, ...this.#place(id), [field]: text, ...inEvents },
      { type: 'response.content_part.done', ...this.#place(id), part: toPart(kind, text) },
      this.#itemDone(toItem(open, status)),
    ]
  }

  /** Returns the event for a new item. `empty` contains the fields that the item fills later. */
  #itemAdded(item: OutputItem, empty: object): TypedEvent {
    const begun = { ...item, status: 'in_progress', ...empty }
    return { type: 'response.output_item.added', output_index: this.#items.length, item: begun }
  }

  #itemDone(item: OutputItem): TypedEvent {
    return { type: 'response.output_item.done', output_index: this.#items.push(item) - 1, item }
  }

  #place(item_id: string) {
    return { item_id, output_index: this.#items.length, content_index: 0 }
  }

  #numbered(events: readonly TypedEvent[]): readonly TypedEvent[] {
    return events.map((event) => ({ ...event, sequence_number: this.#count++ }))
  }

  #response(status: ItemStatus, facts: object, reason?: string): object {
    const { id, model, settings } = this.#options
    return {
      id,
      object: 'response',
      created_at: this.#created,
      status,
      completed_at: status === 'completed' ? secondsNow() : null,
      error: null,
      incomplete_details: reason === undefined ? null : { reason },
      model,
      ...settings,
      ...facts,
    }
  }
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/**
 * For each kind of text: the name of its events and of its part, the field that contains the text in both, and the
 * other fields of the part (`inPart`) and the events (`inEvents`).
 */
const forms = {
  text: {
    name: 'output_text',
    field: 'text',
    inPart: { annotations: [], logprobs: [] },
    inEvents: { logprobs: [] },
  },
  reasoning: { name: 'reasoning_text', field: 'text', inPart: {}, inEvents: {} },
  refusal: { name: 'refusal', field: 'refusal', inPart: {}, inEvents: {} },
} as const

function toPart(kind: TextKind, text: string): object {
  const { name, field, inPart } = forms[kind]
  return { type: name, ...inPart, [field]: text }
}

function toItem({ id, kind, text }: OpenText, status: ItemStatus): OutputItem {
  const content = [toPart(kind, text)]
  return kind === 'reasoning'
    ? { id, type: 'reasoning', summary: [], content }
    : { id, type: 'message', status, role: 'assistant', content }
}

/** Why a response is incomplete, by finish reason. A response with any other finish reason is complete. */
const reasons: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}

function toUsage({ inputTokens, outputTokens, totalTokens, ...parts }: ReplyUsage): object {
  const { cachedInputTokens: cached_tokens = 0, cacheWriteTokens: cache_write_tokens } = parts
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens,
      ...(cache_write_tokens === undefined ? {} : { cache_write_tokens }),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: parts.reasoningTokens ?? 0 },
    total_tokens: totalTokens,
  }
}
