import { toErrorBody } from '@capstan/protocols/errors'
import type {
  ReplyCall,
  ReplyEnd,
  ReplyError,
  ReplyUsage,
  StreamedReplyWriter,
  TextKind,
} from '@capstan/protocols/reply'

interface WriterOptions {
  readonly id: string
  readonly model: string
  /** Whether the stream's last chunk contains token counts. */
  readonly withUsage: boolean
}

/** Writes one chat completion, either in chunks or as a whole. */
export class ChatWriter implements StreamedReplyWriter {
  readonly #head: object
  readonly #withUsage: boolean
  #text = ''
  #refusal = ''
  readonly #calls: ChatCall[] = []
  #whole: object = {}

  constructor({ withUsage, ...head }: WriterOptions) {
    this.#head = { ...head, created: Math.floor(Date.now() / 1000) }
    this.#withUsage = withUsage
  }

  start(): readonly object[] {
    return [this.#chunk({ role: 'assistant', content: '' })]
  }

  add(kind: TextKind, text: string): readonly object[] {
    if (kind === 'text') this.#text += text
    if (kind === 'refusal') this.#refusal += text
    return [this.#chunk({ [fields[kind]]: text })]
  }

  addCalls(calls: readonly ReplyCall[]): readonly object[] {
    if (calls.length === 0) return []
    const from = this.#calls.length
    const added = calls.map(({ id, name, fragments }) => toChatCall(id, name, fragments.join('')))
    this.#calls.push(...added)
    return [this.#chunk({ tool_calls: added.map((call, at) => ({ index: from + at, ...call })) })]
  }

  addToCall({ id, name }: Pick<ReplyCall, 'id' | 'name'>, text: string): readonly object[] {
    // Calls are written one after the other, so only the last one can be open.
    const index = this.#calls.length - 1
    const call = this.#calls[index]
    if (call?.id !== id) return this.addCalls([{ id, name, fragments: [text] }])
    call.function.arguments += text
    return [this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] })]
  }

  endCall(): readonly object[] {
    return []
  }

  end({ finish, usage: counts, more = {} }: ReplyEnd): readonly object[] {
    const usage = toUsage(counts)
    const hasCalls = this.#calls.length > 0
    const message = {
      role: 'assistant',
      content: this.#text === '' && hasCalls ? null : this.#text,
      ...(this.#refusal === '' ? {} : { refusal: this.#refusal }),
      ...(hasCalls ? { tool_calls: this.#calls } : {}),
      ...more,
    }
    const choices = [{ index: 0, message, finish_reason: finish }]
    this.#whole = { ...this.#head, object: 'chat.completion', choices, usage }
    return [
      ...(Object.keys(more).length > 0 ? [this.#chunk(more)] : []),
      this.#chunk({}, finish),
      ...(this.#withUsage ? [{ ...this.#head, object, choices: [], usage }] : []),
    ]
  }

  fail(error: ReplyError): readonly object[] {
    return [{ error: toErrorBody(error) }]
  }

  whole(): object {
    return this.#whole
  }

  #chunk(delta: object, finish_reason: string | null = null): object {
    return { ...this.#head, object, choices: [{ index: 0, delta, finish_reason }] }
  }
}

interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; arguments: string }
}

function toChatCall(id: string, name: string, text: string): ChatCall {
  return { id, type: 'function', function: { name, arguments: text } }
}

const object = 'chat.completion.chunk'

const fields = { text: 'content', reasoning: 'reasoning_content', refusal: 'refusal' } as const

function toUsage({ inputTokens, outputTokens, totalTokens, ...parts }: ReplyUsage) {
  const { cachedInputTokens: cached_tokens, cacheWriteTokens: cache_write_tokens } = parts
  const { reasoningTokens: reasoning_tokens } = parts
  const hasCache = cached_tokens !== undefined || cache_write_tokens !== undefined
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    ...(hasCache ? { prompt_tokens_details: { cached_tokens: cached_tokens ?? 0, cache_write_tokens } } : {}),
    ...(reasoning_tokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens } }),
  }
}
