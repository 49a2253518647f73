import { toMessagesError } from './errors.js'
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
  /** Whether to send reasoning. Default: false. */
  readonly withReasoning?: boolean
  /** The usage at the start of the stream. */
  readonly startUsage: object
  /** Additional fields for the final usage. */
  readonly moreUsage?: object
  /** Additional fields for each call. */
  readonly moreOfCall?: object
  /** Whether to send a ping after the start of the first block. Default: false. */
  readonly withPing?: boolean
}

type Block = Readonly<Record<string, unknown>>

/** Writes a reply in the Messages protocol, as stream events or as one object. */
export class MessageWriter implements StreamedReplyWriter<TypedEvent> {
  readonly #options: WriterOptions
  readonly #head: object
  /** The blocks that are complete. */
  readonly #blocks: Block[] = []
  #open: { readonly isText: boolean; text: string } | undefined
  #call: { readonly block: Block; text: string } | undefined
  #said: TextKind | undefined
  #end: object = {}

  constructor(options: WriterOptions) {
    const { id, model } = options
    this.#options = options
    this.#head = { id, type: 'message', role: 'assistant', model, container: null }
  }

  start(): readonly TypedEvent[] {
    const stop = { stop_reason: null, stop_sequence: null, stop_details: null }
    const message = { ...this.#head, content: [], ...stop, usage: this.#options.startUsage }
    return [{ type: 'message_start', message }]
  }

  /**
   * Adds text. The protocol has no field for a refusal, so a refusal is sent as text, and the stop reason is `refusal`.
   */
  add(kind: TextKind, given: string): readonly TypedEvent[] {
    const isText = kind !== 'reasoning'
    if (given === '' || !(isText || this.#options.withReasoning)) return []
    const text = kind === 'refusal' && this.#said === 'text' ? `\n\n${given}` : given
    if (isText) this.#said = kind
    const started =
      this.#open?.isText === isText ? [] : [...this.#close(), ...this.#start(toBlock(isText, ''))]
    this.#open ??= { isText, text: '' }
    this.#open.text += text
    const delta = isText ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text }
    return [...started, this.#delta(delta)]
  }

  addCalls(calls: readonly ReplyCall[]): readonly TypedEvent[] {
    return calls.flatMap((call) => this.#addCall(call))
  }

  #addCall(call: ReplyCall): readonly TypedEvent[] {
    const begun = this.addToCall(call, '')
    return [...begun, ...call.fragments.flatMap((text) => this.#addArguments(text)), ...this.endCall()]
  }

  addToCall({ id, name }: Pick<ReplyCall, 'id' | 'name'>, text: string): readonly TypedEvent[] {
    if (this.#call) return this.#addArguments(text)
    const block = { type: 'tool_use', id, name, input: {}, ...this.#options.moreOfCall }
    const begun = [...this.#close(), ...this.#start(block)]
    this.#call = { block, text: '' }
    return text === '' ? begun : [...begun, ...this.#addArguments(text)]
  }

  #addArguments(partial_json: string): readonly TypedEvent[] {
    if (this.#call) this.#call.text += partial_json
    return [this.#delta({ type: 'input_json_delta', partial_json })]
  }

  endCall(): readonly TypedEvent[] {
    const call = this.#call
    this.#call = undefined
    return call ? [this.#stop({ ...call.block, input: toInput(call.text) })] : []
  }

  end({ finish, usage: given, stoppedBy, more }: ReplyEnd): readonly TypedEvent[] {
    const closed = this.#close()
    const known = Object.hasOwn(reasons, finish) ? reasons[finish] : finish
    const isStopped = finish === 'stop' && stoppedBy !== undefined
    const usual = finish === 'stop' && this.#said === 'refusal' ? 'refusal' : known
    const stop = {
      stop_reason: isStopped ? 'stop_sequence' : usual,
      stop_sequence: isStopped ? stoppedBy : null,
      stop_details: null,
      ...more,
    }
    const usage = { ...toMessageUsage(given), ...this.#options.moreUsage }
    this.#end = { ...stop, usage }
    return [
      ...closed,
      { type: 'message_delta', delta: { ...stop, container: null }, usage },
      { type: 'message_stop' },
    ]
  }

  fail(error: ReplyError): readonly TypedEvent[] {
    return [toMessagesError(error)]
  }

  whole(): object {
    return { ...this.#head, content: this.#blocks, ...this.#end }
  }

  #start(content_block: object): readonly TypedEvent[] {
    const index = this.#blocks.length
    const ping = index === 0 && this.#options.withPing ? [{ type: 'ping' }] : []
    return [{ type: 'content_block_start', index, content_block }, ...ping]
  }

  #delta(delta: object): TypedEvent {
    return { type: 'content_block_delta', index: this.#blocks.length, delta }
  }

  #stop(block: Block): TypedEvent {
    return { type: 'content_block_stop', index: this.#blocks.push(block) - 1 }
  }

  #close(): readonly TypedEvent[] {
    const open = this.#open
    this.#open = undefined
    return open ? [this.#stop(toBlock(open.isText, open.text))] : []
  }
}

// Thinking does not need a signature, because our servers ignore thinking that clients send back.
function toBlock(isText: boolean, text: string): Block {
  return isText ? { type: 'text', text } : { type: 'thinking', thinking: text, signature: '' }
}

// If the arguments were cut off, they cannot be parsed as an object. Only a stream contains them.
function toInput(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return {}
  }
}

const reasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

/** Converts token counts. In this protocol, cached tokens are not part of the input tokens. */
export function toMessageUsage({ inputTokens, outputTokens, ...parts }: ReplyUsage): object {
  const { cachedInputTokens: cached = 0, cacheWriteTokens: written = 0, reasoningTokens } = parts
  return {
    input_tokens: Math.max(0, inputTokens - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  }
}
