import type { Artifact, Decisions, PendingCall, RunEvent } from '@capstan/core'
import { type CallPart, CallParts, voidCall } from '../call-parts.js'
import type { HttpError } from '../http-error.js'
import { toApprovalId } from '../runs/decisions.js'
import { type ClientState, type EndedRun, nestedCalls } from '../runs/record.js'
import type { Encoder } from '../sse.js'
import { type TextPart, TextParts } from '../text-parts.js'
import { toMessageId, voidName } from './messages.js'

interface AgUiStreamOptions {
  /** The thread's id. The client chooses both this id and `runId`. */
  readonly threadId: string
  readonly runId: string
  /** The run's id on this server. The ids of its messages start with it. */
  readonly ownId: string
  readonly before: ClientState
  readonly decisions: Decisions
  /** Ids of the calls whose results the client already has. */
  readonly known?: ReadonlySet<unknown>
  /** Calls that may have had effects, from the part of the conversation that was cut off. */
  readonly effects?: readonly unknown[]
  artifactUrl(id: string): string
}

/** Converts a run's events and result to AG-UI events. */
export class AgUiStream implements Encoder {
  readonly #options: AgUiStreamOptions
  readonly #text = new TextParts()
  readonly #calls = new CallParts()
  readonly #shown: Set<string>
  /** Ids of the calls for which a result has been sent. */
  readonly #results = new Set<string>()
  /** The id of the message that this step's calls are attached to. */
  #messageId: string
  #step: string | undefined

  constructor(options: AgUiStreamOptions) {
    this.#options = options
    this.#shown = new Set(options.before.artifacts)
    this.#messageId = this.#id('calls')
  }

  first(): readonly object[] {
    const { threadId, runId, effects = [] } = this.#options
    const left = effects.length > 0 ? [toCustom('effects', { calls: effects })] : []
    return [{ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' }, ...left]
  }

  event(event: RunEvent): readonly object[] {
    if (event.parentCallId !== undefined) return toNestedEvents(event, event.parentCallId)
    return [
      ...this.#text.event(event).flatMap((part) => this.#textEvents(part)),
      ...this.#calls.event(event).flatMap((part) => this.#callEvents(part)),
      ...this.#ownEvents(event),
    ]
  }

  end(result: EndedRun): readonly object[] {
    const { artifacts, refusal = '', stopReason, limit, exceeded, stepCount, state } = result
    const { threadId, runId, before } = this.#options
    const { output } = state
    const parts = [...this.#text.add({ kind: 'text', text: refusal }), ...this.#text.end()]
    const unreported = nestedCalls(result).filter(
      ({ callId, kind }) => kind === 'result' && !before.pendingCalls.includes(callId),
    )
    return [
      ...parts.flatMap((part) => this.#textEvents(part)),
      ...this.#calls.end().flatMap((part) => this.#callEvents(part)),
      ...this.#artifactEvents(artifacts),
      ...unreported.flatMap((call) => this.#call({ ...call, arguments: JSON.stringify(call.arguments) })),
      ...this.#endStep(),
      {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        outcome: toOutcome(result),
        result: {
          stopReason,
          ...(limit ? { limit } : {}),
          ...(exceeded ? { exceeded } : {}),
          stepCount,
          ...(output === undefined ? {} : { output }),
        },
        usage: [usageOf(result, before)],
      },
    ]
  }

  failed({ code, message }: HttpError): readonly object[] {
    const calls = this.#calls.end().flatMap((part) => this.#callEvents(part))
    return [...calls, { type: 'RUN_ERROR', code, message }]
  }

  #ownEvents(event: RunEvent): readonly object[] {
    switch (event.type) {
      case 'step-start':
        this.#step = `step ${event.step + 1}`
        this.#messageId = this.#id(this.#step)
        return [{ type: 'STEP_STARTED', stepName: this.#step }]
      case 'call-ready':
        return this.#call(event)
      case 'tool-progress': {
        const { callId, name, value } = event
        return [toCustom('progress', { toolCallId: callId, toolCallName: name, value })]
      }
      case 'data-part':
        return [toCustom(event.part, event.value)]
      case 'tool-end':
        return [...this.#result(event.callId, event.content), ...this.#artifactEvents(event.artifacts)]
      case 'limit-reached':
        return [toCustom('limit', { limit: event.limit })]
      case 'handed-off':
        return [toCustom('handoff', { to: event.to })]
      case 'run-start':
      case 'step-end':
        return this.#endStep()
      default:
        return []
    }
  }

  #textEvents(part: TextPart): readonly object[] {
    const messageId = this.#id(`${part.kind} ${part.index}`)
    if (part.kind === 'text' && part.type === 'start') this.#messageId = messageId
    return toTextEvents(part, messageId)
  }

  #call({ callId, name, arguments: text }: Pick<PendingCall, 'callId' | 'name'> & { arguments: string }) {
    const end = { type: 'TOOL_CALL_END', toolCallId: callId }
    if (this.#calls.has(callId)) {
      this.#calls.close(callId)
      return [end]
    }
    const start = this.#callEvents({ type: 'start', callId, name, text: '' })
    return [...start, ...this.#callEvents({ type: 'delta', callId, name, text }), end]
  }

  #callEvents({ type, callId: toolCallId, name: toolCallName, text }: CallPart): readonly object[] {
    const parentMessageId = this.#messageId
    if (type === 'start') return [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId }]
    if (type === 'delta') return [{ type: 'TOOL_CALL_ARGS', toolCallId, delta: text }]
    // Send a result, because the client might run a call that has none.
    const messageId = this.#id(voidName(toolCallId))
    return [
      { type: 'TOOL_CALL_END', toolCallId },
      { type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content: voidCall },
    ]
  }

  /** Returns the event for a call's result. Empty if the client sent the result or has already received it. */
  #result(toolCallId: string, content: string): readonly object[] {
    const { decisions, known } = this.#options
    if (decisions[toolCallId]?.type === 'result' || known?.has(toolCallId)) return []
    // A background call has two results.
    const isSecond = this.#results.has(toolCallId)
    this.#results.add(toolCallId)
    const messageId = this.#id(`result ${toolCallId}${isSecond ? ' 2' : ''}`)
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content }]
  }

  #artifactEvents(artifacts: readonly Artifact[]): readonly object[] {
    const fresh = artifacts.filter(({ id }) => !this.#shown.has(id))
    for (const { id } of fresh) this.#shown.add(id)
    return fresh.map((artifact) =>
      toCustom('artifact', { ...artifact, url: this.#options.artifactUrl(artifact.id) }),
    )
  }

  #endStep(): readonly object[] {
    const stepName = this.#step
    this.#step = undefined
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }]
  }

  #id(name: string): string {
    return toMessageId(this.#options.ownId, name)
  }
}

/** Converts an event of a nested agent. The agent's text is omitted, because it is not part of the reply. */
function toNestedEvents(event: RunEvent, toolCallId: string): readonly object[] {
  if (event.type === 'run-start') return [toCustom('agent', { toolCallId, agent: event.agent })]
  if (event.type === 'data-part') return [toCustom(event.part, event.value)]
  if (event.type !== 'tool-start' && event.type !== 'tool-end') return []
  const status = event.type === 'tool-end' ? event.status : 'running'
  return [toCustom('agent', { toolCallId, toolCallName: event.name, status })]
}

function toCustom(name: string, value: unknown): object {
  return { type: 'CUSTOM', name, value }
}

/** Returns the usage since the run was last resumed. */
function usageOf({ usage }: EndedRun, { usage: used }: ClientState): object {
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage
  return {
    inputTokens: usage.inputTokens - used.inputTokens,
    outputTokens: usage.outputTokens - used.outputTokens,
    totalTokens: usage.totalTokens - used.totalTokens,
    ...optional('cachedInputTokens', cachedInputTokens, used.cachedInputTokens),
    ...optional('cacheWriteInputTokens', cacheWriteTokens, used.cacheWriteTokens),
    ...optional('reasoningTokens', reasoningTokens, used.reasoningTokens),
  }
}

/** Returns an object with one field, the count minus `used`. Empty if the server did not report the count. */
function optional(name: string, count: number | undefined, used = 0): object {
  return count === undefined ? {} : { [name]: count - used }
}

/**
 * Returns a run's AG-UI outcome. A call that needs an approval or asks a question is an interrupt; a call to one of the
 * client's tools is only pending.
 */
function toOutcome({ pending = [], stopReason, state }: EndedRun): object {
  const questions = pending.filter(({ kind }) => kind !== 'result')
  if (questions.length > 0)
    return { type: 'interrupt', interrupts: questions.map((call) => toInterrupt(call, state.runId)) }
  if (stopReason === 'aborted') return { type: 'cancelled' }
  const pendingToolCallIds = pending.map(({ callId }) => callId)
  return pendingToolCallIds.length > 0 ? { type: 'success', pendingToolCallIds } : { type: 'success' }
}

function toInterrupt(call: PendingCall, runId: string): object {
  const { callId, name, arguments: args, agent, kind, reason, message, schema, url } = call
  const isQuestion = kind === 'input'
  return {
    id: toApprovalId(runId, callId),
    reason: isQuestion ? 'input_required' : 'tool_call',
    message: message ?? reason ?? `Run ${name}?`,
    toolCallId: callId,
    responseSchema: isQuestion ? (schema ?? {}) : approvalSchema,
    metadata: { toolCallName: name, arguments: args, ...(agent ? { agent } : {}), ...(url ? { url } : {}) },
  }
}

const approvalSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
}

/**
 * Converts a part of a text or reasoning block. A reasoning message is enclosed by `REASONING_START` and
 * `REASONING_END`.
 */
function toTextEvents({ type, kind, text }: TextPart, messageId: string): readonly object[] {
  const prefix = kind === 'text' ? 'TEXT_MESSAGE' : 'REASONING_MESSAGE'
  const isThought = kind === 'reasoning'
  switch (type) {
    case 'delta':
      return [{ type: `${prefix}_CONTENT`, messageId, delta: text }]
    case 'start':
      return [
        ...(isThought ? [{ type: 'REASONING_START', messageId }] : []),
        { type: `${prefix}_START`, messageId, role: isThought ? 'reasoning' : 'assistant' },
      ]
    case 'end':
      return [
        { type: `${prefix}_END`, messageId },
        ...(isThought ? [{ type: 'REASONING_END', messageId }] : []),
      ]
  }
}
