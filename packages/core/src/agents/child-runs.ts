import type { ArtifactStore } from '../artifacts/artifact.js'
import { abortable } from '../async.js'
import { CapstanError, messageOf } from '../errors.js'
import { truncateResult } from '../middleware/long-results.js'
import { agentBehind, type ReachableAgent } from '../run/reachable-agents.js'
import { currentStep, type RunContext } from '../run/run-context.js'
import type { ChildCall, ChildRuns } from '../run/run-tools.js'
import { cancelledResult, errorResult, hiddenFailure } from '../tools/rejections.js'
import { toReference } from '../tools/render-result.js'
import type { ChildAgent, ChildStep } from '../types/host.js'
import { type ToolCall, textOf } from '../types/message.js'
import type { CallResult, ChildRun, DelegatedOutcome, Outcome, RunState } from '../types/state.js'
import { raiseLimits, remainingLimits } from './shared-limits.js'

/** How the calls of an agent as a tool run: each as a child run of the run that makes the call. */
export const childRuns: ChildRuns = {
  begin: beginChild,
  step: childStep,
  cancel: cancelChild,
  raise: raiseLimits,
}

function beginChild(
  { call, index }: ChildCall,
  { input, notes }: DelegatedOutcome,
  run: RunContext,
): ChildRun {
  const { state } = run
  const runId = `${state.runId}/t${currentStep(state)}/child${index}`
  const begun = agentOf(call, run).start(input, { runId, limits: remainingLimits(index, run) })
  // Its input was written by a model that has read untrusted text.
  const { taintedBy } = state.flags
  const flags = { ...begun.flags, ...(taintedBy === undefined ? {} : { taintedBy }) }
  return { state: { ...begun, flags }, round: 0, notes }
}

function childStep(
  { call, index, child: { state: inner, round, notes } }: ChildCall & { readonly child: ChildRun },
  run: RunContext,
  failed: Map<string, unknown>,
): ChildStep<Outcome> {
  const { state } = run
  const key = `t${currentStep(state)}/child${index}`
  return {
    key: round === 0 ? key : `${key}r${round}`,
    child: { agent: agentOf(call, run).name, state: inner, callId: call.id },
    settle: (end) => {
      // The error stays in the process where the child run failed.
      if ('error' in end) failed.set(call.id, end.error)
      if (end.stopReason === 'pending') return { status: 'paused', state: end }
      const idempotencyKey = `${state.runId}/${key}`
      const result = toResult(end, run, { idempotencyKey, needsOutput: hasOutput(call, run) })
      return truncated({ ...result, ...notes }, call, run)
    },
  }
}

/** Returns the result of a child run that was stopped. Its usage counts. */
function cancelChild({ state, notes }: ChildRun): CallResult {
  return { ...cancelledResult, ...leftBehind(state), ...notes }
}

function agentOf(call: ToolCall, { toolset, parts }: RunContext): ChildAgent {
  const name = toolset.get(call.function.name)?.child?.agent ?? ''
  const agent = parts.agents.get(name)
  if (agent) return agent
  throw new CapstanError('not_found', `This run has no agent "${name}".`, { evidence: { name } })
}

/** Whether results of the call are values of an output schema. */
function hasOutput(call: ToolCall, { toolset }: RunContext): boolean {
  const tool = toolset.get(call.function.name)
  return tool !== undefined && agentBehind<ReachableAgent & { output?: unknown }>(tool)?.output !== undefined
}

interface ResultOptions {
  readonly idempotencyKey: string
  /** Whether a text is no result. */
  readonly needsOutput: boolean
}

/** Returns the tool result of a child run. */
function toResult(
  state: RunState,
  { settings }: RunContext,
  { idempotencyKey, needsOutput }: ResultOptions,
): CallResult {
  if (state.stopReason === 'aborted') return cancelChild({ state, round: 0 })
  const { artifacts = [], flags } = state
  if (flags.failed !== undefined && settings.toolErrors.shown === 'expected')
    return { ...hiddenFailure(`the agent "${state.agent}" failed`, idempotencyKey), ...leftBehind(state) }
  const text = childMessage(state)
  const made = artifacts.map((artifact) => JSON.stringify(toReference(artifact)))
  const content = [text, ...made].filter((line) => line !== '').join('\n')
  const isOver = state.stopReason === 'done' || state.stopReason === 'condition'
  const result = state.output === undefined && !needsOutput ? text : state.output
  if (isOver && content !== '' && result !== undefined)
    return { status: 'ok', content, result, ...leftBehind(state), ms: 0 }
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

/** Truncates the text of a child run to the tool's `maxResultBytes`. */
async function truncated(result: CallResult, call: ToolCall, run: RunContext): Promise<CallResult> {
  const { artifacts, signal, toolset, runId } = run
  const { name } = call.function
  const settings = toolset.get(name)?.settings ?? {}
  const { taintedBy } = result
  const origin = { tool: name, callId: call.id, runId, ...(taintedBy === undefined ? {} : { taintedBy }) }
  const store: Pick<ArtifactStore, 'put'> = {
    put: (data, info) => abortable(signal, artifacts.put(data, info)),
  }
  try {
    return { ...result, ...(await truncateResult(result.content, settings, { store, origin })) }
  } catch (error) {
    // The usage counts although the text cannot be stored.
    const { result: _, ...rest } = result
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}
