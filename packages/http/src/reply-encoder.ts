import type { EventOf, Json, PendingCall, RunEvent, RunState, ToolCall } from '@capstan/core'
import { canonicalJson, JsonScanner, textOf, tryJson } from '@capstan/core/internal'
import type { StreamedReplyWriter } from '@capstan/protocols/reply'
import type { ChatReply } from './chat/known-replies.js'
import { approvalTool } from './client-tools.js'
import { HttpError } from './http-error.js'
import type { EndedRun } from './runs/record.js'
import type { Encoder } from './sse.js'
import { type ReplyPiece, ReplyText } from './text-parts.js'

interface ReplyOptions {
  /** Whether calls to a tool are sent while the model is writing them. */
  isStreamed(tool: string): boolean
  /** Called with the complete reply, before its end is sent to the client. */
  onReply(reply: ChatReply, state: RunState): void
}

/** Converts a run's events and result to one model reply, in the writer's protocol. */
export class ReplyEncoder<Part extends object> implements Encoder<Part> {
  readonly #writer: StreamedReplyWriter<Part>
  readonly #options: ReplyOptions
  readonly #reply = new ReplyText()
  /** The arguments sent so far for each call that has started, by call id. */
  readonly #begun = new Map<string, string>()
  /** The arguments received so far for calls that are waiting for the open call to end, by call id. */
  readonly #waiting = new Map<string, string>()
  /** The id of the call that is being written. */
  #open: string | undefined
  /** Detects whether the open call's arguments are complete. */
  #arguments = new JsonScanner()
  /** Text that arrived after a call had started. It is sent at the end. */
  #later: ReplyPiece[] = []
  #hasFailed = false

  constructor(writer: StreamedReplyWriter<Part>, options: ReplyOptions) {
    this.#writer = writer
    this.#options = options
  }

  /** The text sent so far. */
  get text(): string {
    return this.#reply.text
  }

  first(): readonly Part[] {
    return this.#writer.start()
  }

  event(event: RunEvent): readonly Part[] {
    if (this.#hasFailed) return []
    const pieces = this.#reply.event(event)
    if (this.#begun.size > 0) this.#later.push(...pieces)
    const text = this.#begun.size > 0 ? [] : pieces.flatMap((piece) => this.#add(piece))
    if (event.parentCallId !== undefined) return text
    if (event.type === 'call-delta') return [...text, ...this.#addToCall(event)]
    return this.#hasLost(event) ? this.#fail() : text
  }

  end(result: EndedRun): readonly Part[] {
    if (this.#hasFailed) return []
    const kept = result.pending?.filter(({ callId, kind, arguments: args }) => {
      const sent = kind === 'result' ? this.#begun.get(callId) : undefined
      return sent !== undefined && isSame(sent, args)
    })
    if ((kept?.length ?? 0) < this.#begun.size) return this.#fail()
    const ended = this.#writer.endCall()
    const text = this.#later.flatMap((piece) => this.#add(piece))
    return [...ended, ...text, ...this.#ending(result, this.text)]
  }

  /** Returns the full reply of a run that was not streamed. `before` is the number of messages before the reply. */
  whole(result: EndedRun, before: number): object {
    const text = replyText(result.state, before)
    if (result.reasoning) this.#writer.add('reasoning', result.reasoning)
    if (text !== '') this.#writer.add('text', text)
    this.#ending(result, text)
    return this.#writer.whole()
  }

  failed(error: HttpError): readonly Part[] {
    return this.#hasFailed ? [] : this.#writer.fail(error)
  }

  #add({ kind, text }: ReplyPiece): readonly Part[] {
    return this.#writer.add(kind, text)
  }

  /**
   * Adds a piece to a call. Protocols send one call after the other, so a second call waits until the open one has
   * ended.
   */
  #addToCall({ callId: id, name, arguments: piece }: EventOf<'call-delta'>): readonly Part[] {
    if (!this.#options.isStreamed(name)) return []
    const text = (this.#waiting.get(id) ?? '') + piece
    let ended: readonly Part[] = []
    if (this.#open !== id) {
      // Only whitespace can follow a complete value.
      if (this.#begun.has(id)) return []
      if (this.#open !== undefined && !this.#arguments.isClosed) {
        this.#waiting.set(id, text)
        return []
      }
      this.#waiting.delete(id)
      this.#open = id
      this.#arguments = new JsonScanner()
      ended = this.#writer.endCall()
    }
    this.#arguments.add(text)
    this.#begun.set(id, (this.#begun.get(id) ?? '') + text)
    return [...ended, ...this.#writer.addToCall({ id, name }, text)]
  }

  /** Whether a call that was already sent turns out not to be for the client. Sent parts cannot be taken back. */
  #hasLost(event: RunEvent): boolean {
    if (this.#begun.size === 0) return false
    if (event.type === 'retry-scheduled' || event.type === 'run-recovered') return true
    if (event.type === 'tool-end') return this.#begun.has(event.callId)
    if (event.type !== 'message-added' || event.message.role !== 'assistant') return false
    const ids = new Set(event.message.tool_calls?.map(({ id }) => id))
    return [...this.#begun.keys()].some((id) => !ids.has(id))
  }

  #fail(): readonly Part[] {
    this.#hasFailed = true
    const message = 'A call that was already sent is not in the final reply. Send the request again.'
    return this.#writer.fail(new HttpError(502, 'truncated', message))
  }

  #ending(result: EndedRun, text: string): readonly Part[] {
    const { artifacts, refusal = null, usage, state } = result
    const calls = toToolCalls(result.pending).map((call) => withArguments(call, this.#begun.get(call.id)))
    const more = artifacts.length > 0 ? { artifacts } : {}
    const events = [
      ...(refusal ? this.#writer.add('refusal', refusal) : []),
      ...this.#writer.addCalls(calls.filter(({ id }) => !this.#begun.has(id)).map(toReplyCall)),
      ...this.#writer.end({ finish: finishOf(result), usage, more }),
    ]
    this.#options.onReply({ content: text, refusal, tool_calls: calls }, state)
    return events
  }
}

/** Returns the pending calls as tool calls for the client: calls of its own tools, and approval requests. */
export function toToolCalls(pending: readonly PendingCall[] = []): readonly ToolCall[] {
  return pending.map(({ callId, name, arguments: args, kind, reason, message, schema, url }) => {
    const asked = { name, arguments: args, reason, message, schema, url }
    const called = kind === 'result' ? { name, args } : { name: approvalTool, args: asked }
    return {
      id: callId,
      type: 'function',
      function: { name: called.name, arguments: JSON.stringify(called.args) },
    }
  })
}

/** Returns the call, with its arguments in exactly the form in which they were streamed. */
function withArguments(call: ToolCall, sent = call.function.arguments): ToolCall {
  return { ...call, function: { ...call.function, arguments: sent } }
}

/** Whether a string is JSON that represents these arguments. */
function isSame(text: string, args: Json): boolean {
  const sent = tryJson(text)
  return sent !== undefined && canonicalJson(sent as Json) === canonicalJson(args)
}

function toReplyCall({ id, function: { name, arguments: args } }: ToolCall) {
  return { id, name, fragments: [args] }
}

/** Returns the finish reason. A stop reason that only agents have is converted to `stop`. */
function finishOf({ stopReason }: EndedRun): string {
  if (stopReason === 'pending') return 'tool_calls'
  return stopReason === 'length' || stopReason === 'content_filter' ? stopReason : 'stop'
}

/** Joins the text of the run's new replies in the same way as a stream. */
function replyText({ messages }: RunState, before: number): string {
  const texts = messages
    .slice(before)
    .flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
  return texts.filter((text) => text !== '').join('\n\n')
}
