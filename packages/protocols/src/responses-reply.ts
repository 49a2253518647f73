import { toErrorBody } from './errors.js'
import type {
  ReplyCall,
  ReplyEnd,
  ReplyError,
  ReplyUsage,
  ReplyWriter,
  TextKind,
  TypedEvent,
} from './reply.js'

interface WriterOptions {
  readonly id: string
  readonly model: string
  /** The request's own settings, which a response repeats. */
  readonly settings: object
  /** Makes the ids of items. */
  newId(prefix: 'msg' | 'rs' | 'fc'): string
  /** Called with all items, before the end is sent. */
  onEnd(items: readonly OutputItem[]): void
}

/** An item of a response. */
export interface OutputItem {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

/** A text that is being written, in an item of its own. */
interface OpenText {
  readonly id: string
  readonly kind: TextKind
  text: string
}

/** Writes one response of the Responses protocol. */
export class ResponseWriter implements ReplyWriter<TypedEvent> {
  readonly #options: WriterOptions
  /** The complete items. */
  readonly #items: OutputItem[] = []
  readonly #created = secondsNow()
  #open: OpenText | undefined
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
    return this.#numbered(calls.flatMap((call) => this.#addCall(call)))
  }

  #addCall({ id: call_id, name, fragments, isCut }: ReplyCall): readonly TypedEvent[] {
    const closed = this.#close('completed')
    const args = fragments.join('')
    const status = isCut ? 'incomplete' : 'completed'
    const item = {
      id: this.#options.newId('fc'),
      type: 'function_call',
      status,
      call_id,
      name,
      arguments: args,
    }
    const { content_index: _, ...place } = this.#place(item.id)
    return [
      ...closed,
      this.#itemAdded(item, { arguments: '' }),
      ...fragments.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      { type: 'response.function_call_arguments.done', ...place, arguments: args },
      this.#itemDone(item),
    ]
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
    // Clients read the fields from the object, or from the event itself.
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

  /** `empty` are the fields that an item begins with. */
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

/** Each kind of text as it is sent: the name of its events and part, its field there, and what else they have. */
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

/** Reasons of an incomplete response, by finish reason. After all others it is complete. */
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
