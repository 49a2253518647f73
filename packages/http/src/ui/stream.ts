import type { AnyRunResult, Artifact, PendingCall, RunEvent } from '@capstan/core'
import type { HttpError } from '../http-error.js'
import { innerCalls } from '../pending-runs.js'
import { type KnownBefore, toApprovalId } from '../resume-run.js'
import type { Encoder } from '../sse.js'
import { type Said, Spoken } from '../text-parts.js'

interface UiHead {
  /** Of the message that the answer becomes, or goes on with. */
  readonly messageId: string
  readonly runId: string
  readonly before: KnownBefore
  artifactUrl(id: string): string
}

type ToolEnd = Extract<RunEvent, { type: 'tool-end' }>

/** A run as parts of the AI SDK's UI message stream: a function of its events, and at last of its result. */
export class UiParts implements Encoder {
  readonly #head: UiHead
  readonly #spoken = new Spoken()
  readonly #shown: Set<string>
  /** Names of agents within the agent, by the calls that they answer. */
  readonly #inner = new Map<string, string>()
  #isInStep = false

  constructor(head: UiHead) {
    this.#head = head
    this.#shown = new Set(head.before.artifacts)
  }

  first(): readonly object[] {
    const { messageId, runId, before } = this.#head
    const missed = before.missed.flatMap(({ callId, content }) => {
      const status = before.decisions[callId]?.type === 'deny' ? 'denied' : 'ok'
      return this.#outcome({ status, content }, callId)
    })
    return [{ type: 'start', messageId, messageMetadata: { runId } }, ...missed]
  }

  event(event: RunEvent): readonly object[] {
    if (event.parentCallId !== undefined) return this.#within(event, event.parentCallId)
    return [...this.#spoken.event(event).map(toWords), ...this.#happened(event)]
  }

  end(result: AnyRunResult): readonly object[] {
    const { artifacts, refusal = '', stopReason, limit, steps, usage, state } = result
    const { inputTokens, outputTokens, totalTokens } = usage
    const messageMetadata = {
      stopReason,
      ...(limit ? { limit } : {}),
      steps,
      usage: { inputTokens, outputTokens, totalTokens },
    }
    const finish =
      stopReason === 'aborted'
        ? [{ type: 'message-metadata', messageMetadata }, { type: 'abort' }]
        : [{ type: 'finish', finishReason: finishOf(result), messageMetadata }]
    return [
      ...[...this.#spoken.say('text', refusal), ...this.#spoken.end()].map(toWords),
      ...this.#files(artifacts),
      ...(state.output === undefined ? [] : [{ type: 'data-output', data: state.output }]),
      ...toQuestions(result, this.#head.before.asked),
      ...(this.#isInStep ? [{ type: 'finish-step' }] : []),
      ...finish,
    ]
  }

  failed({ message }: HttpError): readonly object[] {
    return [...this.#spoken.end().map(toWords), { type: 'error', errorText: message }]
  }

  #happened(event: RunEvent): readonly object[] {
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
      case 'tool-end':
        return [...this.#outcome(event, event.callId), ...this.#time(event), ...this.#files(event.artifacts)]
      case 'limit-reached':
        return [{ type: 'data-limit', data: { limit: event.limit } }]
      case 'handed-off':
        return [{ type: 'data-handoff', data: { to: event.to } }]
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
    const decided = this.#head.before.decisions[toolCallId]?.type
    if (decided === 'result') return []
    if (status === 'ok') return [{ type: 'tool-output-available', toolCallId, output: toOutput(content) }]
    if (status === 'denied' && decided === 'deny') return [{ type: 'tool-output-denied', toolCallId }]
    return [{ type: 'tool-output-error', toolCallId, errorText: content }]
  }

  /** How long the function took; the part of the call has no room for it in all versions. */
  #time({ callId, name, status, ms }: ToolEnd): readonly object[] {
    const hasRun = status === 'ok' || status === 'error' || status === 'cut_off'
    if (!hasRun || this.#head.before.decisions[callId]?.type === 'result') return []
    return [{ type: 'data-time', id: callId, data: { toolCallId: callId, toolName: name, ms } }]
  }

  /** What an agent within the agent does: its words are not the answer's. */
  #within(event: RunEvent, parent: string): readonly object[] {
    if (event.type === 'run-start') this.#inner.set(parent, event.agent)
    const told = (data: object) => {
      const agent = this.#inner.get(parent)
      return { type: 'data-agent', id: parent, data: { toolCallId: parent, agent, ...data } }
    }
    if (event.type === 'run-start') return [told({})]
    if (event.type === 'tool-start') return [told({ toolName: event.name, status: 'running' })]
    if (event.type !== 'tool-end') return []
    const path = `${parent}/${event.callId}`
    return [
      told({ toolName: event.name, status: event.status, ms: event.ms }),
      ...(this.#head.before.asked.has(path) ? this.#outcome(event, path) : []),
    ]
  }

  #files(artifacts: readonly Artifact[]): readonly object[] {
    const fresh = artifacts.filter(({ id }) => !this.#shown.has(id))
    for (const { id } of fresh) this.#shown.add(id)
    return fresh.map(({ id, mediaType }) => ({ type: 'file', url: this.#head.artifactUrl(id), mediaType }))
  }
}

const suffixes = { begin: 'start', words: 'delta', end: 'end' }

function toWords({ type, kind, at, text }: Said): object {
  const part = { type: `${kind}-${suffixes[type]}`, id: `${kind}-${at}` }
  return type === 'words' ? { ...part, delta: text } : part
}

/** What a tool brought as it was before it became text for the model. */
function toOutput(content: string): unknown {
  if (!/^[[{]/.test(content)) return content
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}

function finishOf({ stopReason }: AnyRunResult): string {
  if (stopReason === 'done') return 'stop'
  if (stopReason === 'pending') return 'tool-calls'
  if (stopReason === 'length') return 'length'
  return stopReason === 'content_filter' || stopReason === 'refusal' ? 'content-filter' : 'other'
}

/**
 * What a run waits for, as parts: a yes is asked for by a part of its own, a result by the call alone. Calls of agents
 * within the agent stand in a step of their own, as the call above them has no answer yet; `asked` are those that
 * stand there already.
 */
function toQuestions(result: AnyRunResult, asked: ReadonlySet<string>): readonly object[] {
  const { pending = [], state } = result
  const inner = innerCalls(result)
  const own = pending.filter((call) => !inner.includes(call))
  const fresh = inner.filter(({ callId }) => !asked.has(callId))
  const ask = (calls: readonly PendingCall[]) => calls.flatMap((call) => toQuestion(call, state.runId))
  if (fresh.length === 0) return ask(pending)
  return [...ask(own), { type: 'finish-step' }, { type: 'start-step' }, ...fresh.map(toCall), ...ask(inner)]
}

function toCall({ callId, name, arguments: input }: PendingCall): object {
  return { type: 'tool-input-available', toolCallId: callId, toolName: name, input, dynamic: true }
}

function toQuestion({ callId, kind, agent, reason }: PendingCall, runId: string): readonly object[] {
  if (kind === 'result') return []
  const approvalId = toApprovalId(runId, callId)
  return [
    // The part that asks has no room for a reason in all versions.
    { type: 'data-approval', id: approvalId, data: { toolCallId: callId, agent, reason } },
    { type: 'tool-approval-request', approvalId, toolCallId: callId },
  ]
}
