import { remainingLimits } from '../agents/shared-limits.js'
import type { ArtifactOrigin, ArtifactStore } from '../artifacts/artifact.js'
import { abortable } from '../async.js'
import { CapstanError, messageOf } from '../errors.js'
import { defaultMaxResultBytes, truncateResult } from '../middleware/long-results.js'
import { withoutCredentials } from '../secrets/secrets.js'
import { cancelledResult, errorResult, hiddenFailure } from '../tools/rejections.js'
import { toReference } from '../tools/render-result.js'
import type { ToolSettings } from '../tools/tool.js'
import type { ChildAgent, ChildStep } from '../types/host.js'
import { type ToolCall, textOf } from '../types/message.js'
import type { CallResult, ChildRun, DelegatedOutcome, Outcome, RunState } from '../types/state.js'
import { currentStep, type RunSettings } from './run-context.js'

/** A run and its settings. */
interface RunInside {
  readonly state: RunState
  readonly plan: RunSettings
}

/** A parent run. */
export interface RunAround extends RunInside {
  /** Errors of child runs by call id; they are not recorded. */
  readonly failed: Map<string, unknown>
}

/** A call that an agent answers, by its index in the step. */
interface ChildCall {
  readonly call: ToolCall
  readonly index: number
}

/** Creates the child run of a call, within what is left of the parent's limits. */
export function beginChild(
  { call, index }: ChildCall,
  { input, notes }: DelegatedOutcome,
  { state, plan }: RunInside,
): ChildRun {
  const runId = `${state.runId}/t${currentStep(state)}/child${index}`
  const begun = agentOf(call, plan).start(input, { runId, limits: remainingLimits(index, state, plan) })
  // Its input was written by a model that has read untrusted text.
  const { taintedBy } = state.flags
  const flags = { ...begun.flags, ...(taintedBy === undefined ? {} : { taintedBy }) }
  return { state: { ...begun, flags }, round: 0, notes }
}

/** The host step that starts a child run, or resumes it with decisions. */
export function childStep(
  { call, index, child: { state: inner, round, notes } }: ChildCall & { readonly child: ChildRun },
  { state, plan, failed }: RunAround,
): ChildStep<Outcome> {
  const key = `t${currentStep(state)}/child${index}`
  return {
    key: round === 0 ? key : `${key}r${round}`,
    child: { agent: agentOf(call, plan).name, state: inner, callId: call.id },
    settle: (end) => {
      if (failures.has(end)) failed.set(call.id, failures.get(end))
      return end.stopReason === 'pending'
        ? { status: 'paused', state: end }
        : { ...toAnswer(end, plan, `${state.runId}/${key}`), ...notes }
    },
  }
}

const failures = new WeakMap<RunState, unknown>()

/** Marks a state as failed. The error itself stays in this process. */
export function withFailure(state: RunState, error: unknown): RunState {
  state.flags.failed = withoutCredentials(messageOf(error))
  failures.set(state, error)
  return state
}

/** Returns the result of a child run that was stopped. Its usage counts. */
export function cutChild({ state, notes }: ChildRun): CallResult {
  return { ...cancelledResult, ...leftBehind(state), ...notes }
}

function agentOf(call: ToolCall, { toolset, agents }: RunSettings): ChildAgent {
  const name = toolset.get(call.function.name)?.child?.agent ?? ''
  const agent = agents.get(name)
  if (agent) return agent
  throw new CapstanError('not_found', `This run has no agent "${name}".`, { evidence: { name } })
}

/** Returns the tool result of a child run. */
function toAnswer(state: RunState, { toolErrors }: RunSettings, idempotencyKey: string): CallResult {
  if (state.stopReason === 'aborted') return cutChild({ state, round: 0 })
  const { artifacts = [], flags } = state
  if (flags.failed !== undefined && toolErrors.shown === 'expected')
    return { ...hiddenFailure(`the agent "${state.agent}" failed`, idempotencyKey), ...leftBehind(state) }
  const text = childMessage(state)
  const made = artifacts.map((artifact) => JSON.stringify(toReference(artifact)))
  const content = [text, ...made].filter((line) => line !== '').join('\n')
  if ((state.stopReason === 'done' || state.stopReason === 'condition') && content !== '')
    return { status: 'ok', content, result: text, ...leftBehind(state), ms: 0 }
  const end =
    state.stopReason === 'done' ? 'no answer' : (flags.failed ?? state.limit ?? String(state.stopReason))
  const why = `the agent "${state.agent}" stopped before it was done: ${end}.`
  const words = content === '' ? why : `${why} Its last text: ${content}`
  return { ...errorResult('error', words), ...leftBehind(state) }
}

/** The child's output or last text; after `stopWhen`, the result of the last call. */
function childMessage({ output, messages, stopReason }: RunState): string {
  if (output !== undefined) return typeof output === 'string' ? output : JSON.stringify(output)
  const texts = messages.flatMap((one) => (one.role === 'assistant' ? [textOf(one.content)] : []))
  const text = texts.findLast((one) => one.trim() !== '')
  if (text !== undefined || stopReason !== 'condition') return text ?? ''
  const asked = messages.findLastIndex(({ role }) => role === 'assistant')
  const brought = messages.slice(asked + 1).flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return brought.join('\n')
}

/** The parts of a child run that its parent takes over. */
function leftBehind({ artifacts = [], usage, flags }: RunState) {
  return {
    artifacts,
    usage,
    ...(flags.taintedBy === undefined ? {} : { taintedBy: flags.taintedBy }),
  }
}

/** Wraps the step of a child run: its text is truncated to the tool's `maxResultBytes`. */
export function boundedChild(
  step: ChildStep<Outcome>,
  { maxResultBytes, returnDirect }: ToolSettings = {},
  kept: Kept,
): ChildStep<Outcome> {
  const maxBytes = maxResultBytes ?? (returnDirect ? Number.POSITIVE_INFINITY : defaultMaxResultBytes)
  return {
    ...step,
    settle: async (end) => {
      const outcome = await step.settle(end)
      return 'content' in outcome ? bounded(outcome, maxBytes, kept) : outcome
    },
  }
}

/** The store of text that is too long, and its call. */
interface Kept extends Pick<RunSettings, 'artifacts' | 'signal'> {
  readonly origin: ArtifactOrigin
}

async function bounded(
  answer: CallResult,
  maxBytes: number,
  { artifacts, signal, origin }: Kept,
): Promise<CallResult> {
  const store: Pick<ArtifactStore, 'put'> = {
    put: (data, info) => abortable(signal, artifacts.put(data, info)),
  }
  try {
    return { ...answer, ...(await truncateResult(answer.content, maxBytes, { store, origin })) }
  } catch (error) {
    // The usage counts although the text cannot be stored.
    const { result: _, ...rest } = answer
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}
