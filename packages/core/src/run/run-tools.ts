import { CapstanError } from '../errors.js'
import { getOwn, isFunction, setOwn } from '../json.js'
import { unlimited } from '../limits.js'
import { dispatch, runCall } from '../tools/execute-call.js'
import { type CallStep, messageArguments } from '../tools/prepare-call.js'
import { cancelledResult, errorResult, notRunResult } from '../tools/rejections.js'
import type { Settled, Step, StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import {
  type CallRecord,
  type CallResult,
  currentStep,
  type Decision,
  isOfCall,
  type LimitName,
  type Outcome,
  type StoredChild,
} from '../types/state.js'
import type { AppliedDecision, OpenCall, RunView } from './middleware.js'
import type { RunContext } from './run-context.js'
import { stepKey } from './step-keys.js'
import { callEnded } from './steps.js'
import { withinTime } from './time-limit.js'

/** Runs all open calls without a result in parallel, each as a host step. @throws the host's error */
export async function runOpenCalls(run: RunContext): Promise<void> {
  const todo: OpenCall[] = []
  const { toolCalls, perTool } = run.limits
  const refused = (toolCalls ?? perTool) === undefined ? undefined : overLimit(run)
  for (const open of run.openCalls) {
    const refusal = refused?.get(open.index)
    const { result = refusal } = open
    if (refusal) run.state.results[open.index] = refusal
    // A call that was rejected when the reply arrived already has a result.
    if (result && (refusal || run.state.stepCount > run.firstStep)) callEnded(open.call, result, run)
    else if (!(result ?? open.pending ?? open.child)) todo.push(open)
  }
  await runCalls(todo, run)
}

interface Phase {
  readonly run: RunContext
  readonly step: CallStep
  /** Decisions on calls, by call index. Absent if no decisions are being applied. */
  readonly given?: ReadonlyMap<number, AppliedDecision> | undefined
}

/**
 * Runs calls in parallel and stores their results in the state. A call to a tool with `toInput` takes two host steps:
 * the first computes the input, the second runs the tool with it.
 * @throws the host's error, after all calls have ended
 */
async function runCalls(calls: readonly OpenCall[], run: RunContext, given?: Phase['given']): Promise<void> {
  const phase = { run, given, step: toCallStep(run) }
  const first: OpenCall[] = []
  const second: OpenCall[] = []
  for (const open of calls) {
    const decision = given?.get(open.index)
    const hasInput = open.child || (decision && 'result' in decision)
    const isFirst = !hasInput && run.toolset.get(open.call.function.name)?.toInput
    ;(isFirst ? first : second).push(open)
  }
  const ready: OpenCall[] = []
  const settled = first.length > 0 ? await runSteps(first, phase, ready) : []
  for (const one of [...settled, ...(await runSteps([...second, ...ready], phase))])
    if (!one.ok) throw one.error
}

/** Runs calls as host steps and stores their results. Adds calls whose input is now known to `ready`. */
async function runSteps(
  calls: readonly OpenCall[],
  phase: Phase,
  ready?: OpenCall[],
): Promise<readonly Settled<Outcome>[]> {
  const { run } = phase
  const steps: Step<Outcome>[] = []
  const open: OpenCall[] = []
  const ended: [OpenCall, Settled<Outcome>][] = []
  for (const one of calls) {
    // A call whose input is known is run by its tool.
    const step = (one.child ?? one.input) === undefined ? stepOf(one, phase) : stepOfTool(one, run)
    if ('key' in step) {
      steps.push(step)
      open.push(one)
    } else ended.push([one, { ok: true, value: step }])
  }
  const settled = steps.length > 0 ? await run.parts.host.all(steps) : []
  for (const [at, one] of settled.entries()) {
    const call = open[at] as OpenCall
    if (ready && one.ok && one.value.status === 'ready') ready.push({ ...call, ...one.value })
    else ended.push([call, one])
  }
  keepAll(ended, run)
  return settled
}

/**
 * Stores the results of calls in the state, and removes these calls from `pending` and `children`. Calls that still
 * need a decision are added again.
 */
function keepAll(ended: readonly (readonly [OpenCall, Settled<Outcome>])[], run: RunContext): void {
  const { state } = run
  if (state.pending.length > 0) {
    const ids = new Set(ended.map(([{ call }]) => call.id))
    state.pending = state.pending.filter(({ callId }) => !isOfCall(callId, ids))
  }
  if (state.children) {
    const others = { ...state.children }
    for (const [{ index }] of ended) delete others[index]
    if (Object.keys(others).length > 0) state.children = others
    else delete state.children
  }
  for (const [open, settled] of ended) {
    const { call, index, child } = open
    if (!settled.ok) {
      // A pending child run stays pending, because it must not start again.
      if (child) keepChild(open, child, run)
      continue
    }
    const { value: outcome } = settled
    if ('content' in outcome) {
      state.results[index] = outcome
      // The steps of other calls report the end themselves.
      if ((child ?? open.input) !== undefined) callEnded(call, outcome, run)
    } else if (outcome.status === 'pending') {
      const { status: _, ...waiting } = outcome
      state.pending.push({ callId: call.id, name: call.function.name, agent: run.agent, ...waiting })
    } else if (outcome.status === 'paused') {
      const { round, notes } = child ?? { round: 0, notes: open.notes }
      keepChild(open, { state: outcome.state, round: round + 1, ...(notes && { notes }) }, run)
    }
  }
}

function keepChild({ call, index }: OpenCall, child: StoredChild, { state }: RunContext): void {
  for (const one of child.state.pending) state.pending.push({ ...one, callId: `${call.id}/${one.callId}` })
  state.children = { ...state.children, [index]: child }
}

/** Returns the host step that runs a call, or that stores the result from its decision. */
function stepOf({ call, index }: OpenCall, { run, step, given }: Phase): Step<Outcome> {
  const runOne = async (context: StepContext): Promise<Outcome> => {
    // The key is the same before and after an approval, and in any run that resumes the call.
    const host = { ...context, idempotencyKey: run.callKey(index) }
    const decision = given?.get(index)
    const outcome = await (decision && 'result' in decision
      ? resultGiven(call, decision.result, step, host)
      : dispatch(call, step, host, decision?.approval))
    if ('content' in outcome) callEnded(call, outcome, run)
    return outcome
  }
  return {
    key: stepKey(step.step, `${given ? 'decided' : 'call'}${index}`),
    options: { kind: 'tool', name: call.function.name, callId: call.id },
    run: run.limits.seconds === undefined ? runOne : (context) => withinTime(run, context, runOne),
  }
}

/** Returns the result that a decision provides, as changed by middlewares. */
async function resultGiven(
  call: ToolCall,
  given: CallResult | (() => Promise<CallResult>),
  step: CallStep,
  host: StepContext,
): Promise<CallResult> {
  const result = await (isFunction(given) ? given() : given)
  const tool = step.toolset.get(call.function.name)
  if (!tool) return result
  const prepared = { call, tool, args: messageArguments(call), notes: {} }
  return runCall(prepared, step, host, { given: result })
}

/**
 * Returns the step for a call that its tool runs itself, or the call's result. A child run's error is kept only in this
 * process.
 * @throws CapstanError `invalid_state` if the tool cannot run the stored child run
 */
function stepOfTool(open: OpenCall, run: RunContext): Step<Outcome> | CallResult {
  const { id, function: called } = open.call
  const made = run.toolset.get(called.name)?.run?.(open, run)
  if (!made) {
    const message = `The state has a child run for a call to "${called.name}", which is not an agent.`
    throw new CapstanError('invalid_state', message, { evidence: { name: called.name } })
  }
  if (!('child' in made)) return made
  return {
    ...made,
    settle(end) {
      if ('error' in end) run.failures.set(id, end.error)
      return made.settle(end)
    },
  }
}

/**
 * Returns the result for a call whose child run was stopped: the tool's own result, or `cancelledResult` if the tool
 * has changed.
 */
export function stoppedResult(open: OpenCall, run: RunContext): CallResult {
  const made = run.toolset.get(open.call.function.name)?.run?.(open, run)
  return made && !('key' in made) ? made : cancelledResult
}

/** Returns the context that the calls of the current step share. */
export function toCallStep(run: RunContext): CallStep {
  const { state, settings, parts, toolset, failures } = run
  const { hooks, scheduler, repair, stepTimeoutMs: timeoutMs, toolErrors } = settings
  const { unattended = false, emit } = parts
  return {
    ...{ run, hooks, toolset, scheduler, repair, timeoutMs, toolErrors, failures, unattended, emit },
    ...{ step: currentStep(state), taintedBy: state.taintedBy },
  }
}

/** Runs the function of a call that already has a result. Policies do not apply again. */
export async function runAnsweredCall(
  run: RunContext,
  { callId, name, step, arguments: args }: CallRecord,
  given: StepContext,
  agent = run.agent,
): Promise<CallResult> {
  const call = {
    ...({ id: callId, type: 'function' } as const),
    function: { name, arguments: JSON.stringify(args) },
  }
  const approval = { arguments: args as Readonly<Record<string, unknown>> }
  const toolset = run.toolset.get(name) ? run.toolset : run.parts.settingsOf(agent).toolset
  const outcome = await dispatch(call, { ...toCallStep(run), step, toolset }, given, approval)
  if (!('content' in outcome)) return errorResult('error', 'this call cannot run in the background.')
  const { approved: _, arguments: __, ...result } = outcome
  return result
}

/** Returns a result for each open call that would exceed a limit on calls, by index. The other calls run. */
export function overLimit(
  run: Pick<RunView, 'usage' | 'limits' | 'openCalls' | 'toolset'>,
): ReadonlyMap<number, CallResult> {
  const { limits, toolset, usage, openCalls: calls } = run
  const refused = new Map<number, CallResult>()
  const perTool = new Map(Object.entries(usage.perTool))
  let all = usage.toolCalls
  for (const open of calls) {
    const { name } = open.call.function
    // The final answer does not count against limits on calls.
    if (toolset.get(name)?.endsRun) continue
    const ofTool = perTool.get(name) ?? 0
    const { toolCalls: most = unlimited } = limits
    const mostOfTool = getOwn(limits.perTool, name) ?? unlimited
    if (!(open.result ?? open.pending ?? open.child)) {
      if (all >= most) refused.set(open.index, toRefusal('toolCalls', `calls: ${most}`))
      else if (ofTool >= mostOfTool)
        refused.set(open.index, toRefusal('perTool', `calls to "${name}": ${mostOfTool}`))
    }
    all += 1
    perTool.set(name, ofTool + 1)
  }
  return refused
}

function toRefusal(limit: LimitName, what: string): CallResult {
  return { ...errorResult('not_run', `limit reached (${what}); this call did not run.`), limit }
}

/**
 * Applies decisions to pending calls. Calls without a decision stay pending. Each decision applies once. After a
 * failure, the decisions on calls that are still pending are kept.
 * @throws the host's error
 */
export async function applyDecisions(run: RunContext): Promise<void> {
  const { state, parts, signal, settings } = run
  const given = new Map<number, AppliedDecision>()
  const todo: OpenCall[] = []
  const calls = run.openCalls
  const own = calls.filter(({ pending }) => pending)
  for (const { pending } of own)
    if (pending && !getOwn(state.decisions, pending.callId))
      parts.emit?.({ type: 'call-pending', step: run.step, ...pending })
  const decided = await settings.hooks.decide[0]?.decide(own, run)
  const ended: [OpenCall, Settled<Outcome>][] = []
  for (const { pending: _, ...open } of own) {
    const decision = decided?.get(open.call.id)
    const result = signal.aborted ? notRunResult : decision && 'result' in decision && decision.result
    if (result && !isFunction(result)) {
      callEnded(open.call, result, run)
      ended.push([open, { ok: true, value: result }])
    } else if (decision) {
      given.set(open.index, decision)
      todo.push(open)
    }
  }
  for (const open of calls) {
    const { child } = open
    if (child && signal.aborted) ended.push([open, { ok: true, value: stoppedResult(open, run) }])
    else if (child) todo.push(...decideChild(open, child, run))
  }
  keepAll(ended, run)
  try {
    await runCalls(todo, run, given)
  } catch (error) {
    const waiting = new Set(state.pending.map(({ callId }) => callId))
    const left = Object.entries(state.decisions ?? {}).filter(([callId]) => waiting.has(callId))
    state.decisions = Object.fromEntries(left)
    throw error
  }
  delete state.decisions
}

/**
 * Returns the call with the decisions on its child run's calls, to continue the child run. `[]` if the call must keep
 * waiting.
 */
function decideChild(open: OpenCall, child: StoredChild, { state, parts }: RunContext): readonly OpenCall[] {
  const { pending } = child.state
  // The keys are the ids that the calls have in the child run.
  const decisions: Record<string, Decision> = {}
  for (const { callId } of pending) {
    const decision = getOwn(state.decisions, `${open.call.id}/${callId}`)
    if (decision) setOwn(decisions, callId, decision)
  }
  const goesOn = parts.decided || pending.length === 0 || Object.keys(decisions).length > 0
  return goesOn ? [{ ...open, child: { ...child, state: { ...child.state, decisions } } }] : []
}
