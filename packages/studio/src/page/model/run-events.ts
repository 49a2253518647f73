import type { RunEvent, Usage } from '@capstan/core'
import type { CutValue, Entry } from '../../types.js'
import { formatMs, oneLine, plural } from './format.js'
import { type CallNode, type EventOf, isCut, type StepNode } from './run-nodes.js'
import { sentenceOfEnd } from './sentences.js'
import type { Scope, TreeBuilder } from './tree-builder.js'

/** Functions that add an event to the tree, by event type. The type checker reports a missing event type. */
export const eventHandlers: {
  readonly [Type in RunEvent['type']]: (
    tree: TreeBuilder,
    scope: Scope,
    event: EventOf<Type>,
    entry: Entry,
  ) => void
} = {
  'run-start': (_tree, scope, { agent }) => {
    const { owner, outer } = scope
    scope.agent = agent
    if (owner.kind === 'root') {
      owner.status = 'running'
      delete owner.end
    }
    // A program's run has the same agent as its caller. A different agent was called as a tool.
    if (owner.kind === 'call' && agent === outer?.agent) owner.isProgram = true
    else owner.agent = agent
  },
  'step-start': (tree, scope, { step }, entry) => void tree.step(scope, step, entry),
  'text-delta': (tree, scope, { step, text }, entry) => {
    tree.step(scope, step, entry).text += text
  },
  'reasoning-delta': (tree, scope, { step, text }, entry) => {
    tree.step(scope, step, entry).reasoning += text
  },
  'call-delta': (tree, scope, event, entry) => {
    const { drafts } = tree.step(scope, event.step, entry)
    const { callId, name, arguments: text } = event
    const draft = drafts.find((one) => one.callId === callId)
    if (draft) draft.arguments += text
    else drafts.push({ callId, name, arguments: text })
  },
  'call-ready': (tree, scope, event, entry) => {
    const call = tree.call(scope, event, entry)
    call.argumentsText = event.arguments
    call.seqs.arguments = entry.seq
  },
  'repair-applied': (tree, scope, event, entry) => {
    const call = tree.call(scope, event, entry)
    call.repairs.push(...event.repairs)
    const text = `${event.name}: ${event.repairs.join('; ')}`
    tree.note(entry, scope, {
      title: 'repaired',
      text,
      data: event,
      callId: event.callId,
      under: call.parent,
    })
  },
  'tool-start': (tree, scope, event, entry) => {
    const call = tree.call(scope, event, entry)
    call.status = 'running'
    call.startedAt = entry.t
    call.start = entry.t
    call.arguments = event.arguments
    call.seqs.arguments = entry.seq
    tree.waiting.delete(call)
  },
  'tool-progress': (tree, scope, event, entry) => {
    tree.call(scope, event, entry).progress.push(event.value)
  },
  'data-part': (tree, scope, event, entry) => {
    tree.call(scope, event, entry).progress.push({ [event.part]: event.value })
  },
  'artifact-stored': (tree, scope, event, entry) => {
    const owner =
      event.callId === undefined
        ? tree.step(scope, event.step, entry)
        : tree.call(scope, { ...event, name: event.name ?? '' }, entry)
    addArtifact(owner.artifacts, event.artifact)
  },
  'tool-end': (tree, scope, event, entry) => endCall(tree, tree.call(scope, event, entry), event, entry),
  'retry-scheduled': (tree, scope, event, entry) => {
    const step = tree.step(scope, event.step, entry)
    step.text = ''
    step.reasoning = ''
    step.drafts = []
    const then = event.model ? `then ${event.model} is tried` : `after ${formatMs(event.delayMs)}`
    const text = `attempt ${event.attempt}, ${then}: ${event.code}: ${event.message}`
    tree.note(entry, scope, { title: 'retry', text, data: event, isProblem: true })
  },
  'run-recovered': (tree, scope, event, entry) => {
    tree.note(entry, scope, { title: 'recovered', text: 'another process continued the run', data: event })
  },
  'message-added': (tree, scope, event, entry) => addMessage(tree, scope, event, entry),
  'call-pending': (tree, scope, event, entry) => {
    const call = tree.call(scope, event, entry)
    call.status = 'waiting'
    call.pending = event
    tree.waiting.add(call)
  },
  'limit-reached': (tree, scope, event, entry) => {
    if (scope.owner.kind === 'root') scope.owner.limit = event.limit
    tree.note(entry, scope, {
      title: 'limit',
      text: `${event.limit} reached`,
      data: event,
      isProblem: true,
    })
  },
  'stuck-detected': (tree, scope, event, entry) => {
    const text = {
      warn: `repeated calls to ${event.names.join(', ')}: the model is warned`,
      disable: `repeated calls to ${event.names.join(', ')}: disabled for one request`,
      stop: `repeated calls to ${event.names.join(', ')}: the run stops`,
    }[event.stage]
    tree.note(entry, scope, { title: 'stuck', text, data: event, isProblem: true })
  },
  'tools-revealed': (tree, scope, event, entry) => {
    const by = event.query === undefined ? '' : `, for the query "${event.query}"`
    tree.note(entry, scope, { title: 'tools found', text: `${event.names.join(', ')}${by}`, data: event })
  },
  'run-tainted': (tree, scope, event, entry) =>
    tree.note(entry, scope, {
      title: 'tainted',
      text: `has read untrusted text from ${event.by}`,
      data: event,
    }),
  'text-calls': (tree, scope, event, entry) => {
    const hint = event.hint ? `; the option ${event.hint} runs them` : ''
    const text = `${event.names.join(', ')} written as text (${event.form})${hint}`
    tree.note(entry, scope, { title: 'text call', text, data: event, isProblem: event.hint !== undefined })
  },
  'final-answer-failed': (tree, scope, event, entry) => {
    const text = `no final answer: ${event.code}: ${event.message}`
    tree.note(entry, scope, { title: 'final answer failed', text, data: event, isProblem: true })
  },
  'handed-off': (tree, scope, event, entry) => {
    tree.note(entry, scope, { title: 'handed off', text: `${event.to} continues`, data: event })
    scope.agent = event.to
  },
  'message-delivered': (tree, scope, event, entry) =>
    tree.note(entry, scope, { title: 'you said', text: event.text, data: event }),
  'context-trimmed': (tree, scope, event, entry) => {
    const text = `${event.by}: ${event.after} of ${plural(event.before, 'message')} sent`
    tree.note(entry, scope, { title: 'trimmed', text, data: event })
  },
  'effects-left-behind': (tree, scope, event, entry) => {
    const text = event.calls.map(({ name }) => name).join(', ')
    tree.note(entry, scope, { title: 'effects left behind', text, data: event })
  },
  'prefix-broken': (tree, scope, event, entry) => {
    const text = `${event.at} differs from the previous request: ${event.because}`
    tree.note(entry, scope, { title: 'prefix broken', text, data: event })
  },
  'context-over': (tree, scope, event, entry) => {
    const text = `the request has about ${event.tokens} tokens; the limit is ${event.maxTokens}`
    tree.note(entry, scope, { title: 'too long', text, data: event, isProblem: true })
  },
  'context-lost': (tree, scope, event, entry) => {
    const text = `the server read ${event.reported} of about ${event.sent} tokens: its window is about ${event.window}`
    tree.note(entry, scope, { title: 'context lost', text, data: event, isProblem: true })
  },
  'step-replayed': (tree, scope, event, entry) => {
    tree.step(scope, event.step, entry).replayed.push(event.key)
  },
  middleware: (tree, scope, event, entry) => {
    // The call's row shows the source of a saved program. If the source is too long for the entry, a separate row can
    // load it.
    const { source } = Object(event.data)
    if (event.name === 'program-runs' && typeof source === 'string' && scope.owner.kind === 'call') {
      scope.owner.source = source
      return
    }
    // The model's server made the call, so the call has no other row.
    const isHosted = event.name === 'hosted-tools'
    const parts = isHosted ? [oneLine(event.data)] : [event.action, oneLine(event.data)]
    const text = parts.filter((part) => part !== '').join(' ')
    const title = isHosted ? `${event.action} (hosted)` : event.name
    const call = event.callId === undefined ? undefined : scope.calls.get(event.callId)
    tree.note(entry, scope, { title, text, data: event, under: call?.parent })
  },
  'step-end': (tree, scope, event, entry) => endStep(tree, scope, event, entry),
  'run-end': (tree, scope, event, entry) => endRun(tree, scope, event, entry),
}

function endCall(tree: TreeBuilder, call: CallNode, event: EventOf<'tool-end'>, entry: Entry): void {
  call.status = event.status
  call.ms = event.ms
  call.end = entry.t
  call.content = event.content
  call.seqs.end = entry.seq
  if (event.errorId !== undefined) call.errorId = event.errorId
  if (event.spent) call.spent = event.spent
  if (event.cost !== undefined) call.cost = event.cost
  if (event.background) call.isBackground = true
  else delete call.isBackground
  for (const artifact of event.artifacts ?? []) addArtifact(call.artifacts, artifact)
  tree.waiting.delete(call)
}

function addMessage(
  tree: TreeBuilder,
  scope: Scope,
  { message, step: number, omitted }: EventOf<'message-added'>,
  entry: Entry,
): void {
  if (message.role === 'assistant') {
    const step = tree.step(scope, number, entry)
    step.message = message
    step.repliedAt = entry.t
    step.seq = entry.seq
    step.drafts = []
    if (omitted) step.omitted = omitted
    const text = textOf(message.content)
    if (text !== undefined) step.text = text
    return
  }
  if (message.role === 'tool') {
    const call = scope.calls.get(message.tool_call_id)
    if (call) call.modelReads = message.content
    return
  }
  const text = textOf(message.content) ?? ''
  const newest = (scope.step ?? scope.owner).children.at(-1)
  if (newest?.kind === 'note' && newest.title === 'you said' && newest.text === text) return
  tree.note(entry, scope, { title: 'message', text, data: message })
}

function endStep(tree: TreeBuilder, scope: Scope, event: EventOf<'step-end'>, entry: Entry): void {
  const step = tree.step(scope, event.step, entry)
  step.end = entry.t
  step.status = 'ok'
  countStep(step, scope, event.usage)
}

/** Sets a step's tokens and cost to the increase in the run's usage since the previous step. */
function countStep(step: StepNode, scope: Scope, usage: Usage): void {
  step.usage = usage
  step.tokens = usage.totalTokens - (scope.usage?.totalTokens ?? 0)
  const { cost } = usage
  if (cost !== undefined)
    step.cost =
      cost === 'unknown' || scope.usage?.cost === 'unknown' ? 'unknown' : cost - (scope.usage?.cost ?? 0)
  scope.usage = usage
}

function endRun(tree: TreeBuilder, scope: Scope, event: EventOf<'run-end'>, entry: Entry): void {
  const isError = event.stopReason === 'error'
  const { step, owner } = scope
  if (step?.status === 'running') {
    step.status = event.stopReason === 'pending' ? 'waiting' : isError ? 'error' : 'ok'
    step.end = entry.t
    // A pending step has not ended yet. The next round counts it again, from the same usage.
    if (step.repliedAt !== undefined) countStep(step, { ...scope }, event.usage)
  }
  if (owner.kind !== 'root') return
  owner.end = entry.t
  owner.stopReason = event.stopReason
  owner.usage = event.usage
  owner.status = event.stopReason === 'pending' ? 'waiting' : isError ? 'error' : 'ok'
  tree.end(entry, event.stopReason, sentenceOfEnd(event, owner.limit), event)
}

function addArtifact<One extends { readonly id: string }>(artifacts: One[], artifact: One): void {
  if (!artifacts.some(({ id }) => id === artifact.id)) artifacts.push(artifact)
}

/** Returns a message's text, or its size if the text was cut. Undefined for any other content. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (isCut(content)) return `(${(content as CutValue).cut.bytes} bytes)`
  if (!Array.isArray(content)) return undefined
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
}
