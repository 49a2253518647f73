import type { Artifact, Decisions, EventOf, PendingCall, RunEvent } from '@capstan/core'
import { type CallPart, CallParts, voidCall } from '../call-parts.js'
import type { HttpError } from '../http-error.js'
import { toApprovalId } from '../runs/decisions.js'
import { type ClientState, type EndedRun, nestedCalls } from '../runs/record.js'
import type { Encoder } from '../sse.js'
import { type TextPart, TextParts } from '../text-parts.js'
import type { UiMetadata } from './message-types.js'

interface UiStreamOptions {
  /** The id of the message that the reply creates or continues. */
  readonly messageId: string
  readonly runId: string
  readonly before: ClientState
  readonly decisions: Decisions
  /** Calls that may have had effects, from the part of the conversation that was cut off. */
  readonly effects?: readonly unknown[]
  artifactUrl(id: string): string
}

type ToolEnd = EventOf<'tool-end'>

/** Converts a run's events and result to parts of the AI SDK's UI message stream. */
export class UiStream implements Encoder {
  readonly #options: UiStreamOptions
  readonly #text = new TextParts()
  readonly #calls = new CallParts()
  readonly #shown: Set<string>
  /** The names of nested agents, by the id of the call that runs each. */
  readonly #inner = new Map<string, string>()
  #isInStep = false

  constructor(options: UiStreamOptions) {
    this.#options = options
    this.#shown = new Set(options.before.artifacts)
  }

  first(): readonly object[] {
    const { messageId, runId, effects = [] } = this.#options
    const left = effects.length > 0 ? [{ type: 'data-effects', data: { calls: effects } }] : []
    return [{ type: 'start', messageId, messageMetadata: { runId } }, ...left]
  }

  event(event: RunEvent): readonly object[] {
    if (event.parentCallId !== undefined) return this.#nestedEvent(event, event.parentCallId)
    const text = this.#text.event(event).map(toTextPart)
    return [...text, ...this.#callParts(event), ...this.#eventParts(event)]
  }

  end(result: EndedRun): readonly object[] {
    const { artifacts, refusal = '', stopReason, limit, exceeded, stepCount, usage, state } = result
    const { inputTokens, outputTokens, totalTokens } = usage
    const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage
    const messageMetadata: UiMetadata = {
      stopReason,
      ...(limit ? { limit } : {}),
      ...(exceeded ? { exceeded } : {}),
      stepCount,
      usage: {
        inputTokens,
        outputTokens,
        totalTokens,
        cachedInputTokens,
        cacheWriteTokens,
        reasoningTokens,
      },
    }
    const finish =
      stopReason === 'aborted'
        ? [{ type: 'message-metadata', messageMetadata }, { type: 'abort' }]
        : [{ type: 'finish', finishReason: finishOf(result), messageMetadata }]
    return [
      ...[...this.#text.add({ kind: 'text', text: refusal }), ...this.#text.end()].map(toTextPart),
      ...this.#calls.end().map(toCallPart),
      ...this.#files(artifacts),
      ...(state.output === undefined ? [] : [{ type: 'data-output', data: state.output }]),
      ...approvalParts(result, this.#options.before.pendingCalls),
      ...(this.#isInStep ? [{ type: 'finish-step' }] : []),
      ...finish,
    ]
  }

  failed({ message }: HttpError): readonly object[] {
    const ended = [...this.#text.end().map(toTextPart), ...this.#calls.end().map(toCallPart)]
    return [...ended, { type: 'error', errorText: message }]
  }

  /** Returns the parts for calls that the model is still writing. */
  #callParts(event: RunEvent): readonly object[] {
    if (event.type === 'call-ready') this.#calls.close(event.callId)
    const parts = this.#calls.event(event).map(toCallPart)
    const isReply = event.type === 'message-added' && event.message.role === 'assistant'
    if (parts.length === 0 || !isReply || event.message.tool_calls?.length) return parts
    // Some pages send results automatically once all calls in the last step have one. These calls are in a separate
    // step, so that they do not cause that.
    return [...this.#text.end().map(toTextPart), ...parts, { type: 'finish-step' }, { type: 'start-step' }]
  }

  #eventParts(event: RunEvent): readonly object[] {
    switch (event.type) {
      case 'step-start':
        this.#isInStep = true
        return [{ type: 'start-step' }]
      case 'call-ready': {
        const { callId, name, arguments: text } = event
        return [{ type: 'tool-input-available', toolCallId: callId, toolName: name, input: JSON.parse(text) }]
      }
      case 'tool-progress': {
        const { callId, name, value } = event
        return [{ type: 'data-progress', id: callId, data: { toolCallId: callId, toolName: name, value } }]
      }
      case 'data-part':
        return [toDataPart(event)]
      case 'tool-end':
        return [
          ...this.#outcome(event, event.callId),
          ...this.#timing(event),
          ...this.#files(event.artifacts),
        ]
      case 'limit-reached':
        return [{ type: 'data-limit', data: { limit: event.limit } }]
      case 'handed-off':
        return [{ type: 'data-handoff', data: { to: event.to } }]
      case 'run-start':
      case 'step-end': {
        const wasInStep = this.#isInStep
        this.#isInStep = false
        return wasInStep ? [{ type: 'finish-step' }] : []
      }
      default:
        return []
    }
  }

  #outcome({ status, content }: Pick<ToolEnd, 'status' | 'content'>, toolCallId: string): readonly object[] {
    const decided = this.#options.decisions[toolCallId]?.type
    if (decided === 'result') return []
    if (status === 'ok') return [{ type: 'tool-output-available', toolCallId, output: toOutput(content) }]
    if (status === 'denied' && decided === 'deny') return [{ type: 'tool-output-denied', toolCallId }]
    return [{ type: 'tool-output-error', toolCallId, errorText: content }]
  }

  /**
   * Returns a part with a tool's duration. Not all versions of the AI SDK have a field for it in the tool's own part.
   */
  #timing({ callId, name, status, ms }: ToolEnd): readonly object[] {
    const hasRun = status === 'ok' || status === 'error' || status === 'cut_off'
    if (!hasRun || this.#options.decisions[callId]?.type === 'result') return []
    return [{ type: 'data-time', id: callId, data: { toolCallId: callId, toolName: name, ms } }]
  }

  /** Converts an event of a nested agent. The agent's text is omitted, because it is not part of the reply. */
  #nestedEvent(event: RunEvent, parent: string): readonly object[] {
    if (event.type === 'run-start') this.#inner.set(parent, event.agent)
    const part = (data: object) => {
      const agent = this.#inner.get(parent)
      return { type: 'data-agent', id: parent, data: { toolCallId: parent, agent, ...data } }
    }
    if (event.type === 'run-start') return [part({})]
    if (event.type === 'data-part') return [toDataPart(event)]
    if (event.type === 'tool-start') return [part({ toolName: event.name, status: 'running' })]
    if (event.type !== 'tool-end') return []
    const path = `${parent}/${event.callId}`
    return [
      part({ toolName: event.name, status: event.status, ms: event.ms }),
      ...(this.#options.before.pendingCalls.includes(path) ? this.#outcome(event, path) : []),
    ]
  }

  #files(artifacts: readonly Artifact[]): readonly object[] {
    const fresh = artifacts.filter(({ id }) => !this.#shown.has(id))
    for (const { id } of fresh) this.#shown.add(id)
    return fresh.map(({ id, mediaType }) => ({ type: 'file', url: this.#options.artifactUrl(id), mediaType }))
  }
}

function toDataPart({ part, value: data, id, transient }: EventOf<'data-part'>): object {
  return { type: `data-${part}`, data, ...(id !== undefined && { id }), ...(transient && { transient }) }
}

function toTextPart({ type, kind, index, text }: TextPart): object {
  const part = { type: `${kind}-${type}`, id: `${kind}-${index}` }
  return type === 'delta' ? { ...part, delta: text } : part
}

/**
 * Converts a part of a call. A call that was not made gets neither parsed nor raw input, so it can be recognized when a
 * page sends it back.
 */
function toCallPart({ type, callId: toolCallId, name: toolName, text }: CallPart): object {
  if (type === 'start') return { type: 'tool-input-start', toolCallId, toolName }
  if (type === 'delta') return { type: 'tool-input-delta', toolCallId, inputTextDelta: text }
  return { type: 'tool-input-error', toolCallId, toolName, input: null, errorText: voidCall }
}

/**
 * Parses a tool's output that was converted to text for the model. Text that is not a JSON object or array is returned
 * unchanged.
 */
export function toOutput(content: string): unknown {
  if (!/^[[{]/.test(content)) return content
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}

function finishOf({ stopReason }: EndedRun): string {
  if (stopReason === 'done') return 'stop'
  if (stopReason === 'pending') return 'tool-calls'
  if (stopReason === 'length') return 'length'
  return stopReason === 'content_filter' || stopReason === 'refusal' ? 'content-filter' : 'other'
}

/**
 * Returns the parts for the pending calls. An approval or a question has its own part; a call that needs a result has
 * none. Calls of nested agents get their own step, because the call above them has no result yet. `pendingCalls`
 * contains the ids of calls that the client already has.
 */
function approvalParts(result: EndedRun, pendingCalls: readonly string[]): readonly object[] {
  const { pending = [], state } = result
  const inner = nestedCalls(result)
  const own = pending.filter((call) => !inner.includes(call))
  const fresh = inner.filter(({ callId }) => !pendingCalls.includes(callId))
  const ask = (calls: readonly PendingCall[]) => calls.flatMap((call) => toQuestion(call, state.runId))
  if (fresh.length === 0) return ask(pending)
  return [...ask(own), { type: 'finish-step' }, { type: 'start-step' }, ...fresh.map(toCall), ...ask(inner)]
}

function toCall({ callId, name, arguments: input }: PendingCall): object {
  return { type: 'tool-input-available', toolCallId: callId, toolName: name, input, dynamic: true }
}

function toQuestion(call: PendingCall, runId: string): readonly object[] {
  const { callId, kind, agent, reason, message, schema, url } = call
  if (kind === 'result') return []
  const approvalId = toApprovalId(runId, callId)
  if (kind === 'input')
    return [
      { type: 'data-question', id: approvalId, data: { toolCallId: callId, agent, message, schema, url } },
    ]
  return [
    // Not all versions of the approval part have a field for a reason.
    { type: 'data-approval', id: approvalId, data: { toolCallId: callId, agent, reason } },
    { type: 'tool-approval-request', approvalId, toolCallId: callId },
  ]
}
