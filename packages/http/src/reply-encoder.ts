import type { PendingCall, RunEvent, RunState, ToolCall } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import type { ReplyWriter } from '@capstan/protocols/reply'
import type { ChatReply } from './chat/known-replies.js'
import { approvalTool } from './client-tools.js'
import type { HttpError } from './http-error.js'
import type { EndedRun } from './runs/record.js'
import type { Encoder } from './sse.js'
import { ReplyText } from './text-parts.js'

/** Converts a run's events and result to one reply of a model, in a protocol. */
export class ReplyEncoder<Part extends object> implements Encoder<Part> {
  readonly #writer: ReplyWriter<Part>
  readonly #onReply: (reply: ChatReply, state: RunState) => void
  readonly #reply = new ReplyText()

  /** `onReply` is called with the complete reply, before its end is sent. */
  constructor(writer: ReplyWriter<Part>, onReply: (reply: ChatReply, state: RunState) => void) {
    this.#writer = writer
    this.#onReply = onReply
  }

  /** The text sent so far. */
  get text(): string {
    return this.#reply.text
  }

  first(): readonly Part[] {
    return this.#writer.start()
  }

  event(event: RunEvent): readonly Part[] {
    return this.#reply.event(event).flatMap(({ kind, text }) => this.#writer.add(kind, text))
  }

  end(result: EndedRun): readonly Part[] {
    return this.#ending(result, this.text)
  }

  /** Returns the whole reply of a run that was not streamed. `before` is the number of messages at its start. */
  whole(result: EndedRun, before: number): object {
    const text = replyText(result.state, before)
    if (result.reasoning) this.#writer.add('reasoning', result.reasoning)
    if (text !== '') this.#writer.add('text', text)
    this.#ending(result, text)
    return this.#writer.whole()
  }

  failed(error: HttpError): readonly Part[] {
    return this.#writer.fail(error)
  }

  #ending(result: EndedRun, text: string): readonly Part[] {
    const { artifacts, refusal = null, usage, state } = result
    const calls = toToolCalls(result.pending)
    const more = artifacts.length > 0 ? { artifacts } : {}
    const events = [
      ...(refusal ? this.#writer.add('refusal', refusal) : []),
      ...this.#writer.addCalls(calls.map(toReplyCall)),
      ...this.#writer.end({ finish: finishOf(result), usage, more }),
    ]
    this.#onReply({ content: text, refusal, tool_calls: calls }, state)
    return events
  }
}

/** Returns the pending calls as tool calls for the client: calls of its own tools, and approval requests. */
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

function toReplyCall({ id, function: { name, arguments: args } }: ToolCall) {
  return { id, name, fragments: [args] }
}

/** Returns the finish reason. Stop reasons that only agents have become `stop`. */
function finishOf({ stopReason }: EndedRun): string {
  if (stopReason === 'pending') return 'tool_calls'
  return stopReason === 'length' || stopReason === 'content_filter' ? stopReason : 'stop'
}

/** Joins the text of all replies of the run, as a stream sends it. */
function replyText({ messages }: RunState, before: number): string {
  const texts = messages
    .slice(before)
    .flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
  return texts.filter((text) => text !== '').join('\n\n')
}
