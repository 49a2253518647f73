import { toErrorBody } from '@capstan/protocols/errors'
import type {
  ReplyCall,
  ReplyEnd,
  ReplyError,
  ReplyUsage,
  ReplyWriter,
  TextKind,
} from '@capstan/protocols/reply'
import type { ChatRequest } from './chat-request.js'
import type { ProtocolReply } from './reply.js'

/**
 * Writes one chat completion. The chunks are JSON: first the role, then fragments of text or arguments, then the finish
 * reason.
 */
export class ChatWriter implements ReplyWriter<string> {
  readonly #reply: ProtocolReply<ChatRequest>
  readonly #created = Math.floor(Date.now() / 1000)
  #calls: readonly ReplyCall[] = []

  constructor(reply: ProtocolReply<ChatRequest>) {
    this.#reply = reply
  }

  start(): readonly string[] {
    const { text } = this.#reply.draft
    return [this.#chunk({ role: 'assistant', content: text === null ? null : '', refusal: null })]
  }

  add(kind: TextKind, text: string): readonly string[] {
    return text === '' ? [] : [this.#chunk({ [kind === 'refusal' ? kind : 'content']: text })]
  }

  addCalls(calls: readonly ReplyCall[]): readonly string[] {
    this.#calls = calls
    return calls.flatMap(({ id, name, fragments }, index) => {
      const chunk = (call: object, part: object) =>
        this.#chunk(
          this.#isOldForm ? { function_call: part } : { tool_calls: [{ index, ...call, function: part }] },
        )
      return [
        chunk({ id, type: 'function' }, { name, arguments: '' }),
        ...fragments.map((fragment) => chunk({}, { arguments: fragment })),
      ]
    })
  }

  end({ usage }: ReplyEnd): readonly string[] {
    const counts = JSON.stringify({ ...this.#head(chunkType), choices: [], usage: toUsage(usage) })
    return [this.#chunk({}, this.#finish), ...(this.#reply.request.withUsage ? [counts] : [])]
  }

  fail(error: ReplyError): readonly string[] {
    return [JSON.stringify({ error: toErrorBody(error) })]
  }

  whole(): object {
    const { draft, usage } = this.#reply
    const { text, refusal } = draft
    const message = { role: 'assistant', content: text, refusal, annotations: [], ...this.#callFields() }
    const choice = { index: 0, message, logprobs: null, finish_reason: this.#finish }
    return { ...this.#head('chat.completion'), choices: [choice], usage: toUsage(usage) }
  }

  get #isOldForm(): boolean {
    return this.#reply.request.isOldForm
  }

  get #finish(): string {
    const { finish } = this.#reply.draft
    return this.#isOldForm && finish === 'tool_calls' ? 'function_call' : finish
  }

  #chunk(delta: object, finish_reason: string | null = null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
    const { withUsage } = this.#reply.request
    return JSON.stringify({ ...this.#head(chunkType), choices, ...(withUsage && { usage: null }) })
  }

  #head(object: string): object {
    const { seed, model } = this.#reply
    return {
      id: `chatcmpl-${seed.slice(0, 24)}`,
      object,
      created: this.#created,
      model,
      service_tier: 'default',
      system_fingerprint: 'capstan-planner-rules',
    }
  }

  #callFields(): object {
    const [first] = this.#reply.draft.calls
    if (!first) return {}
    if (this.#isOldForm) return { function_call: first }
    const calls = this.#calls.map(({ id, name, fragments }, index) => {
      return { index, id, type: 'function', function: { name, arguments: fragments.join('') } }
    })
    return { tool_calls: calls }
  }
}

const chunkType = 'chat.completion.chunk'

function toUsage({ inputTokens, outputTokens, totalTokens }: ReplyUsage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
