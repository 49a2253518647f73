import type { AnyRunResult, PendingCall, RunEvent, RunState, ToolCall, Usage } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { approvalTool } from '../client-tools.js'
import { type HttpError, toErrorBody } from '../http-error.js'
import type { Encoder } from '../sse.js'
import { type NewWords, Retold } from '../text-parts.js'
import type { ChatAnswer } from './known-replies.js'

/** What every chunk of an answer says. */
export interface ChunkHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

interface ChunkOptions {
  readonly withUsage: boolean
  /** Called with all of the answer, before its end is sent. */
  keep(answer: ChatAnswer, state: RunState): void
}

/** A run as chunks of one chat answer: a function of its events, and at last of its result. */
export class ChatChunks implements Encoder {
  readonly #head: ChunkHead
  readonly #options: ChunkOptions
  readonly #words = new Retold()
  /** Nothing of this step's answer was said. */
  #isNew = true
  #text = ''

  constructor(head: ChunkHead, options: ChunkOptions) {
    this.#head = head
    this.#options = options
  }

  /** What was said so far. */
  get text(): string {
    return this.#text
  }

  first(): readonly object[] {
    return [this.#chunk({ role: 'assistant', content: '' })]
  }

  /** An event's words; those of agents within the agent are not its own. */
  event(event: RunEvent): readonly object[] {
    if (event.parentCallId !== undefined) return []
    switch (event.type) {
      case 'step-start':
        this.#words.begin()
        this.#isNew = true
        return []
      case 'retry-scheduled':
        this.#words.beginAnew()
        return []
      case 'text-delta':
        return this.#say(this.#words.take(event.text))
      case 'message-added': {
        const { role, content } = event.message
        return role === 'assistant' ? this.#say(this.#words.takeRest(textOf(content))) : []
      }
      case 'reasoning-delta':
        return [this.#chunk({ reasoning_content: event.text })]
      default:
        return []
    }
  }

  end(result: AnyRunResult): readonly object[] {
    const calls = toToolCalls(result.pending)
    const { artifacts, refusal } = result
    const { withUsage, keep } = this.#options
    keep({ content: this.#text, refusal: refusal ?? null, tool_calls: calls }, result.state)
    const indexed = calls.map((call, index) => ({ index, ...call }))
    return [
      ...(calls.length > 0 ? [this.#chunk({ tool_calls: indexed })] : []),
      ...(refusal ? [this.#chunk({ refusal })] : []),
      ...(artifacts.length > 0 ? [this.#chunk({ artifacts })] : []),
      this.#chunk({}, finishOf(result)),
      ...(withUsage ? [{ ...this.#head, object, choices: [], usage: toUsage(result.usage) }] : []),
    ]
  }

  failed({ status, code, message }: HttpError): readonly object[] {
    return [{ error: toErrorBody(status, code, message) }]
  }

  #say({ text, isApart }: NewWords): readonly object[] {
    if (text === '') return []
    const content = this.#text !== '' && (this.#isNew || isApart) ? `\n\n${text}` : text
    this.#isNew = false
    this.#text += content
    return [this.#chunk({ content })]
  }

  #chunk(delta: object, finish: string | null = null): object {
    return { ...this.#head, object, choices: [{ index: 0, delta, finish_reason: finish }] }
  }
}

const object = 'chat.completion.chunk'

/** Calls that the caller is to answer: of its own tools, and those that it is to say yes to. */
export function toToolCalls(pending: readonly PendingCall[] = []): readonly ToolCall[] {
  return pending.map(({ callId, name, arguments: args, kind, reason }) => {
    const called =
      kind === 'result' ? { name, args } : { name: approvalTool, args: { name, arguments: args, reason } }
    return {
      id: callId,
      type: 'function',
      function: { name: called.name, arguments: JSON.stringify(called.args) },
    }
  })
}

/** Why it ended, in the interface's words; an end of the agent's own making is an end like others. */
function finishOf({ stopReason }: AnyRunResult): string {
  if (stopReason === 'pending') return 'tool_calls'
  return stopReason === 'length' || stopReason === 'content_filter' ? stopReason : 'stop'
}

function toUsage({ inputTokens, outputTokens, totalTokens }: Usage) {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens }
}

/** A run as one chat answer. `before` is how much of its conversation was there when it began. */
export function toCompletion(head: ChunkHead, result: AnyRunResult, before: number) {
  const { artifacts, refusal, usage, state, pending } = result
  const calls = toToolCalls(pending)
  const content = wordsOf(state, before)
  const message = {
    role: 'assistant' as const,
    content: content === '' && calls.length > 0 ? null : content,
    ...(refusal ? { refusal } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
  }
  const choice = { index: 0, message, finish_reason: finishOf(result) }
  return { ...head, object: 'chat.completion', choices: [choice] as const, usage: toUsage(usage) }
}

/** All that the agent said, as a stream would have it. */
function wordsOf({ messages }: RunState, before: number): string {
  const said = messages
    .slice(before)
    .flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
  return said.filter((text) => text !== '').join('\n\n')
}
