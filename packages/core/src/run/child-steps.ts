import { cutOff, refusal } from '../answer/refusals.js'
import { toReference } from '../answer/render-output.js'
import { hiddenFailure } from '../answer/tool-errors.js'
import { withoutCredentials } from '../secrets/without-credentials.js'
import { CapstanError, messageOf } from '../words/error.js'
import type { ChildAgent, ChildStep } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import { textOf } from '../words/message.js'
import type { Answer, ChildRun, Delegated, Outcome, RunState } from '../words/state.js'
import { leftFor } from './left-for.js'
import { currentStep, type RunPlan } from './walk.js'

/** A run, and what it is made of. */
export interface RunInside {
  readonly state: RunState
  readonly plan: RunPlan
}

/** A run inside which agents work. */
export interface RunAround extends RunInside {
  /** Errors of those agents by call id: they are not recorded. */
  readonly failed: Map<string, unknown>
}

/** A call that an agent answers, by its place in the turn. */
export interface ChildCall {
  readonly call: ToolCall
  readonly index: number
}

/** The run of an agent that answers a call, within what is left of the limits of the run that it is in. */
export function beginChild(
  { call, index }: ChildCall,
  { input, notes }: Delegated,
  { state, plan }: RunInside,
): ChildRun {
  const runId = `${state.runId}/t${currentStep(state)}/child${index}`
  const begun = agentOf(call, plan).start(input, { runId, limits: leftFor(index, state, plan) })
  // What it is told was written by a model that has read what is not trusted.
  const { taintedBy } = state.flags
  const flags = { ...begun.flags, ...(taintedBy === undefined ? {} : { taintedBy }) }
  return { state: { ...begun, flags }, round: 0, notes }
}

/** The step in which it begins, or goes on with what was decided of its calls. */
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

/** Notes on a state that its run failed. The error itself is known in this process only. */
export function withFailure(state: RunState, error: unknown): RunState {
  state.flags.failed = withoutCredentials(messageOf(error))
  failures.set(state, error)
  return state
}

/** The answer of an agent that was stopped while it worked or waited: what it used is used. */
export function cutChild({ state, notes }: ChildRun): Answer {
  return { ...cutOff, ...leftBehind(state), ...notes }
}

function agentOf(call: ToolCall, { toolset, agents }: RunPlan): ChildAgent {
  const name = toolset.get(call.function.name)?.child?.agent ?? ''
  const agent = agents.get(name)
  if (agent) return agent
  throw new CapstanError('not_found', `No agent "${name}" is known to this run.`, { evidence: { name } })
}

/** What a run within a run came to. */
function toAnswer(state: RunState, { toolErrors }: RunPlan, idempotencyKey: string): Answer {
  if (state.stopReason === 'aborted') return cutChild({ state, round: 0 })
  const { artifacts = [], flags } = state
  if (flags.failed !== undefined && toolErrors.shown === 'expected')
    return { ...hiddenFailure(`the agent "${state.agent}" failed`, idempotencyKey), ...leftBehind(state) }
  const text = wordsOf(state)
  const made = artifacts.map((artifact) => JSON.stringify(toReference(artifact)))
  const content = [text, ...made].filter((line) => line !== '').join('\n')
  if ((state.stopReason === 'done' || state.stopReason === 'condition') && content !== '')
    return { status: 'ok', content, result: text, ...leftBehind(state), ms: 0 }
  const end =
    state.stopReason === 'done' ? 'no answer' : (flags.failed ?? state.limit ?? String(state.stopReason))
  const why = `the agent "${state.agent}" ended without being done: ${end}.`
  const words = content === '' ? why : `${why} What it had: ${content}`
  return { ...refusal('error', words), ...leftBehind(state) }
}

/** Its answer in its form, else its last words; where it was to end after a call, what that brought. */
function wordsOf({ output, messages, stopReason }: RunState): string {
  if (output !== undefined) return typeof output === 'string' ? output : JSON.stringify(output)
  const texts = messages.flatMap((one) => (one.role === 'assistant' ? [textOf(one.content)] : []))
  const text = texts.findLast((one) => one.trim() !== '')
  if (text !== undefined || stopReason !== 'condition') return text ?? ''
  const asked = messages.findLastIndex(({ role }) => role === 'assistant')
  const brought = messages.slice(asked + 1).flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return brought.join('\n')
}

/** What a run leaves to the one that it was in, however it ended. */
function leftBehind({ artifacts = [], usage, flags }: RunState) {
  return {
    artifacts,
    usage,
    ...(flags.taintedBy === undefined ? {} : { taintedBy: flags.taintedBy }),
  }
}
