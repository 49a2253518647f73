import type { AnyRunResult, Artifact, PendingCall, RunEvent } from '@capstan/core'
import type { HttpError } from '../http-error.js'
import { innerCalls } from '../pending-runs.js'
import { type KnownBefore, toApprovalId } from '../resume-run.js'
import type { Encoder } from '../sse.js'
import { type Said, Spoken } from '../text-parts.js'
import { toMessageId } from './messages.js'

interface AgUiHead {
  /** As the client calls them. */
  readonly threadId: string
  readonly runId: string
  /** As it is called here. */
  readonly ownId: string
  readonly before: KnownBefore
  artifactUrl(id: string): string
}

/** A run as events of AG-UI: a function of its events, and at last of its result. */
export class AgUiEvents implements Encoder {
  readonly #head: AgUiHead
  readonly #spoken = new Spoken()
  readonly #shown: Set<string>
  #results = 0
  /** The message that this step's calls belong to. */
  #answer: string
  #step: string | undefined

  constructor(head: AgUiHead) {
    this.#head = head
    this.#shown = new Set(head.before.artifacts)
    this.#answer = this.#id('calls')
  }

  first(): readonly object[] {
    const { threadId, runId, before } = this.#head
    const missed = before.missed.flatMap(({ callId, content }) => this.#result(callId, content))
    return [{ type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' }, ...missed]
  }

  event(event: RunEvent): readonly object[] {
    if (event.parentCallId !== undefined) return toInner(event, event.parentCallId)
    return [...this.#spoken.event(event).flatMap((said) => this.#words(said)), ...this.#happened(event)]
  }

  end(result: AnyRunResult): readonly object[] {
    const { artifacts, refusal = '', stopReason, limit, steps, state } = result
    const { threadId, runId, before } = this.#head
    const { output } = state
    const said = [...this.#spoken.say('text', refusal), ...this.#spoken.end()]
    const unheard = innerCalls(result).filter(
      ({ callId, kind }) => kind === 'result' && !before.asked.has(callId),
    )
    return [
      ...said.flatMap((one) => this.#words(one)),
      ...this.#made(artifacts),
      ...unheard.flatMap((call) => this.#call({ ...call, arguments: JSON.stringify(call.arguments) })),
      ...this.#endStep(),
      {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        outcome: toOutcome(result),
        result: {
          stopReason,
          ...(limit ? { limit } : {}),
          steps,
          ...(output === undefined ? {} : { output }),
        },
        usage: [usageOf(result, before)],
      },
    ]
  }

  failed({ code, message }: HttpError): readonly object[] {
    return [{ type: 'RUN_ERROR', code, message }]
  }

  #happened(event: RunEvent): readonly object[] {
    switch (event.type) {
      case 'step-start':
        this.#step = `step ${event.step + 1}`
        this.#answer = this.#id(this.#step)
        return [{ type: 'STEP_STARTED', stepName: this.#step }]
      case 'call-ready':
        return this.#call(event)
      case 'tool-progress': {
        const { callId, name, value } = event
        return [toCustom('progress', { toolCallId: callId, toolCallName: name, value })]
      }
      case 'tool-end':
        return [...this.#result(event.callId, event.content), ...this.#made(event.artifacts)]
      case 'limit-reached':
        return [toCustom('limit', { limit: event.limit })]
      case 'handed-off':
        return [toCustom('handoff', { to: event.to })]
      case 'step-end':
        return this.#endStep()
      default:
        return []
    }
  }

  #words(said: Said): readonly object[] {
    const messageId = this.#id(`${said.kind} ${said.at}`)
    if (said.kind === 'text' && said.type === 'begin') this.#answer = messageId
    return toWords(said, messageId)
  }

  #call({ callId, name, arguments: text }: Pick<PendingCall, 'callId' | 'name'> & { arguments: string }) {
    return [
      { type: 'TOOL_CALL_START', toolCallId: callId, toolCallName: name, parentMessageId: this.#answer },
      { type: 'TOOL_CALL_ARGS', toolCallId: callId, delta: text },
      { type: 'TOOL_CALL_END', toolCallId: callId },
    ]
  }

  /** A result that the client gave itself stands in its conversation. */
  #result(toolCallId: string, content: string): readonly object[] {
    if (this.#head.before.decisions[toolCallId]?.type === 'result') return []
    const messageId = this.#id(`result ${this.#results++}`)
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content }]
  }

  #made(artifacts: readonly Artifact[]): readonly object[] {
    const fresh = artifacts.filter(({ id }) => !this.#shown.has(id))
    for (const { id } of fresh) this.#shown.add(id)
    return fresh.map((artifact) =>
      toCustom('artifact', { ...artifact, url: this.#head.artifactUrl(artifact.id) }),
    )
  }

  #endStep(): readonly object[] {
    const stepName = this.#step
    this.#step = undefined
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }]
  }

  #id(name: string): string {
    return toMessageId(this.#head.ownId, name)
  }
}

/** What an agent within the agent does: its words are not the answer's. */
function toInner(event: RunEvent, toolCallId: string): readonly object[] {
  if (event.type === 'run-start') return [toCustom('agent', { toolCallId, agent: event.agent })]
  if (event.type !== 'tool-start' && event.type !== 'tool-end') return []
  const status = event.type === 'tool-end' ? event.status : 'running'
  return [toCustom('agent', { toolCallId, toolCallName: event.name, status })]
}

function toCustom(name: string, value: object): object {
  return { type: 'CUSTOM', name, value }
}

/** What this run used, without those that it goes on with. */
function usageOf({ usage }: AnyRunResult, { usage: used }: KnownBefore): object {
  return {
    inputTokens: usage.inputTokens - used.inputTokens,
    outputTokens: usage.outputTokens - used.outputTokens,
    totalTokens: usage.totalTokens - used.totalTokens,
  }
}

/** How a run ended, as AG-UI says it: a question is an interrupt, a call of the page's tools is no more than unanswered. */
function toOutcome({ pending = [], stopReason, state }: AnyRunResult): object {
  const questions = pending.filter(({ kind }) => kind === 'approval')
  if (questions.length > 0)
    return { type: 'interrupt', interrupts: questions.map((call) => toInterrupt(call, state.runId)) }
  if (stopReason === 'aborted') return { type: 'cancelled' }
  const pendingToolCallIds = pending.map(({ callId }) => callId)
  return pendingToolCallIds.length > 0 ? { type: 'success', pendingToolCallIds } : { type: 'success' }
}

function toInterrupt({ callId, name, arguments: args, agent, reason }: PendingCall, runId: string): object {
  return {
    id: toApprovalId(runId, callId),
    reason: 'tool_call',
    message: reason ?? `Run ${name}?`,
    toolCallId: callId,
    responseSchema: {
      type: 'object',
      properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['approved'],
    },
    metadata: { toolCallName: name, arguments: args, ...(agent ? { agent } : {}) },
  }
}

/** A piece of what is said or thought; a thought is a message in a span of its own. */
function toWords({ type, kind, text }: Said, messageId: string): readonly object[] {
  const prefix = kind === 'text' ? 'TEXT_MESSAGE' : 'REASONING_MESSAGE'
  const isThought = kind === 'reasoning'
  switch (type) {
    case 'words':
      return [{ type: `${prefix}_CONTENT`, messageId, delta: text }]
    case 'begin':
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
