import { CapstanError } from '../errors.js'
import { getOwn } from '../json.js'
import { unlimited } from '../limits.js'
import { dispatch, runCall } from '../tools/execute-call.js'
import { type CallContext, messageArguments, noNotes } from '../tools/prepare-call.js'
import { cancelledResult, errorResult, notRunResult } from '../tools/rejections.js'
import type { Settled, Step, StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import {
  type CallRecord,
  type CallResult,
  currentStep,
  type Decision,
  type Decisions,
  type LimitName,
  type Outcome,
  type PendingCall,
  type StoredChild,
} from '../types/state.js'
import type { CallDecision, OpenCall, RunView } from './middleware.js'
import { taintOfArtifact } from './reachable-agents.js'
import type { RunContext } from './run-context.js'
import { stepKey } from './step-keys.js'
import { callEnded, type StepResults } from './steps.js'
import { endOfTime, withinTime } from './time-limit.js'

/** Runs the open calls that have no outcome yet, each as one host step, in parallel. */
export function runOpenCalls(run: RunContext): Promise<StepResults> {
  const { state, firstStep } = run
  const draft = {
    results: { ...state.results },
    pending: [...state.pending],
    children: { ...state.children },
  }
  const todo: OpenCall[] = []
  const refused = overLimit(run)
  for (const open of run.openCalls) {
    const refusal = refused.get(open.index)
    if (refusal) finish(draft, open, refusal, run)
    // Those of the reply itself, which cannot run.
    else if (open.result && state.stepCount > firstStep) ended(open.call, open.result, run)
    else if (!isKnown(open)) todo.push(open)
  }
  return runCalls(todo, draft, { run, kind: 'call' })
}

/** Whether a call has a result, or waits for one. */
function isKnown({ result, pending, child }: OpenCall): boolean {
  return Boolean(result ?? pending ?? child)
}

/** Step results that are being collected. */
type Draft = { -readonly [Field in keyof StepResults]: StepResults[Field] }

interface Phase {
  readonly run: RunContext
  /** The kind of the host steps. */
  readonly kind: 'call' | 'decided'
  /** What was decided on calls, by their index. */
  readonly given?: ReadonlyMap<number, CallDecision>
}

/**
 * Runs calls in parallel and adds their outcomes to the results. A call of a tool with `toInput` runs in a second step of
 * the host, after its input is known.
 */
async function runCalls(calls: readonly OpenCall[], draft: Draft, phase: Phase): Promise<StepResults> {
  const { run } = phase
  const context = toCallContext(run)
  const toStep = (open: OpenCall) => stepOf(open, phase, context)
  const first: OpenCall[] = []
  const second: OpenCall[] = []
  for (const one of calls) {
    const decision = phase.given?.get(one.index)
    const hasResult = decision && 'result' in decision
    const isFirst = !one.child && !hasResult && run.toolset.get(one.call.function.name)?.toInput
    ;(isFirst ? first : second).push(one)
  }
  second.push(...(await runSteps(first, draft, run, toStep)))
  await runSteps(second, draft, run, toStep)
  return draft
}

/** Runs calls as steps of the host and adds their outcomes to the results. Returns those whose input is known now. */
async function runSteps(
  calls: readonly OpenCall[],
  draft: Draft,
  run: RunContext,
  toStep: (open: OpenCall) => Step<Outcome> | CallResult,
): Promise<readonly OpenCall[]> {
  const ready: OpenCall[] = []
  const steps: Step<Outcome>[] = []
  const open: OpenCall[] = []
  for (const one of calls) {
    const step = toStep(one)
    if ('key' in step) {
      steps.push(step)
      open.push(one)
    } else finish(draft, one, step, run)
  }
  const settled = steps.length > 0 ? await run.parts.host.all(steps) : []
  for (const [at, one] of settled.entries()) {
    const call = open[at] as OpenCall
    if (one.ok && one.value.status === 'ready') ready.push({ ...call, ...one.value })
    else add(draft, call, one, run)
  }
  return ready
}

function isResult(outcome: Outcome): outcome is CallResult {
  return 'content' in outcome
}

/** Whether its tool runs a call, between host steps. */
function isStarted({ child, input }: OpenCall): boolean {
  return child !== undefined || input !== undefined
}

function add(draft: Draft, open: OpenCall, settled: Settled<Outcome>, run: RunContext): void {
  const { call, index, child } = open
  if (!settled.ok) {
    draft.failure ??= settled
    // A child run that was pending stays pending: it must not start again.
    if (child) addChild(draft, open, child)
    return
  }
  const { value: outcome } = settled
  if (isResult(outcome)) {
    draft.results[index] = outcome
    // The end of other calls is reported within their steps.
    if (isStarted(open)) ended(call, outcome, run)
  } else if (outcome.status === 'pending') {
    const { status: _, ...waiting } = outcome
    draft.pending.push({ callId: call.id, name: call.function.name, agent: run.agent, ...waiting })
  } else if (outcome.status === 'paused') {
    const { round, notes } = child ?? { round: 0, notes: open.notes }
    addChild(draft, open, { state: outcome.state, round: round + 1, ...(notes && { notes }) })
  }
}

function addChild({ pending, children }: Draft, { call, index }: OpenCall, child: StoredChild): void {
  for (const one of child.state.pending) pending.push({ ...one, callId: `${call.id}/${one.callId}` })
  children[index] = child
}

function finish(draft: Draft, { index, call }: OpenCall, result: CallResult, run: RunContext): void {
  draft.results[index] = result
  ended(call, result, run)
}

/** Returns the host step of a call. */
function stepOf(
  open: OpenCall,
  { run, kind, given: decided }: Phase,
  context: CallContext,
): Step<Outcome> | CallResult {
  const { call, index } = open
  if (isStarted(open)) return stepOfTool(open, run)
  const runOne = async (given: StepContext): Promise<Outcome> => {
    // One key, before and after an approval, and for any run that resumes it.
    const step = { ...given, idempotencyKey: run.callKey(index) }
    const decision = decided?.get(index)
    const outcome = await (decision && 'result' in decision
      ? resultGiven(call, decision.result, context, step)
      : dispatch(call, context, step, decision?.approval))
    if (isResult(outcome)) ended(call, outcome, run)
    return outcome
  }
  return {
    key: stepKey(context.step, `${kind}${index}`),
    options: { kind: 'tool', name: call.function.name, callId: call.id },
    run: (step) => withinTime({ endsAt: endOfTime(run) }, step, runOne),
  }
}

/** Returns the result that a decision gives for a call, as the middlewares finish it. */
async function resultGiven(
  call: ToolCall,
  given: CallResult | (() => Promise<CallResult>),
  context: CallContext,
  step: StepContext,
): Promise<CallResult> {
  const result = await (typeof given === 'function' ? given() : given)
  const tool = context.toolset.get(call.function.name)
  if (!tool) return result
  const prepared = { call, tool, args: messageArguments(call), notes: noNotes }
  return runCall(prepared, context, step, undefined, result)
}

/**
 * Returns the step of a call whose tool runs it. The error of a child run stays in the process where it failed.
 * @throws CapstanError `invalid_state` when its tool does not run it
 */
function stepOfTool(open: OpenCall, run: RunContext): Step<Outcome> | CallResult {
  const { id, function: called } = open.call
  const made = run.toolset.get(called.name)?.run?.(open, run)
  if (!made) {
    const message = `The state has a child run for a call of "${called.name}", which is not an agent.`
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

/** Returns the result of a child run that was stopped. Its tool may be another one now. */
export function stoppedResult(open: OpenCall, run: RunContext): CallResult {
  const made = run.toolset.get(open.call.function.name)?.run?.(open, run)
  return made && !('key' in made) ? made : cancelledResult
}

/** Returns what the calls of the current step share. */
export function toCallContext(run: RunContext): CallContext {
  const { state, settings, parts, toolset, failures } = run
  const { hooks, scheduler, repair, stepTimeoutMs: timeoutMs, toolErrors } = settings
  const { unattended = false, emit } = parts
  const { taintedBy } = state
  const step = currentStep(state)
  return {
    ...{ run, hooks, toolset, scheduler, repair, timeoutMs, toolErrors, failures, unattended, emit },
    ...{ step, taintedBy },
    sourceOf: (artifact) => taintOfArtifact(artifact, parts),
  }
}

/** Runs the function of a call that was judged and answered before. */
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
  const outcome = await dispatch(call, { ...toCallContext(run), step, toolset }, given, approval)
  if (!isResult(outcome)) return errorResult('error', 'this call cannot run in the background.')
  const { approved: _, arguments: __, ...result } = outcome
  return result
}

/** Emits the end of a call of the current step. */
export function ended(
  { id: callId, function: { name } }: ToolCall,
  result: CallResult,
  run: RunContext,
): void {
  callEnded({ callId, name, step: currentStep(run.state) }, result, run)
}

const noResults: ReadonlyMap<number, CallResult> = new Map()

/** Returns results for open calls that would pass a limit on calls, by index. The other calls run. */
export function overLimit({
  usage,
  limits,
  openCalls: calls,
  toolset,
}: Pick<RunView, 'usage' | 'limits' | 'openCalls' | 'toolset'>): ReadonlyMap<number, CallResult> {
  if (limits.toolCalls === undefined && limits.perTool === undefined) return noResults
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
    if (!isKnown(open)) {
      if (all >= most) refused.set(open.index, toRefusal('toolCalls', `calls (${most})`))
      else if (ofTool >= mostOfTool)
        refused.set(open.index, toRefusal('perTool', `calls of "${name}" (${mostOfTool})`))
    }
    all += 1
    perTool.set(name, ofTool + 1)
  }
  return refused
}

function toRefusal(limit: LimitName, what: string): CallResult {
  return { ...errorResult('not_run', `the run's limit of ${what} is reached; this call did not run.`), limit }
}

/** Applies decisions to pending calls. Calls without a decision stay pending. */
export async function applyDecisions(run: RunContext): Promise<StepResults> {
  const { state, parts, signal, settings } = run
  const draft: Draft = { results: { ...state.results }, pending: [], children: {} }
  const given = new Map<number, CallDecision>()
  const todo: OpenCall[] = []
  const calls = run.openCalls
  const own = state.pending.flatMap(({ callId }) => calls.find(({ call }) => call.id === callId) ?? [])
  for (const { pending } of own)
    if (pending && !isDecided(pending, state.decisions))
      parts.emit?.({ type: 'call-pending', step: run.step, ...pending })
  const decided = await settings.hooks.decide[0]?.decide(own, run)
  for (const { pending, ...open } of own) {
    if (!pending) continue
    const decision = decided?.get(pending.callId)
    if (signal.aborted) finish(draft, open, notRunResult, run)
    else if (!decision) draft.pending.push(pending)
    else if ('result' in decision && typeof decision.result !== 'function')
      finish(draft, open, decision.result, run)
    else {
      given.set(open.index, decision)
      todo.push(open)
    }
  }
  for (const open of calls) todo.push(...decideChild(open, draft, run))
  return runCalls(todo, draft, { run, kind: 'decided', given })
}

/** Adds to the results what becomes of a pending child run. Returns one that goes on, with its decisions. */
function decideChild({ child, ...open }: OpenCall, draft: Draft, run: RunContext): readonly OpenCall[] {
  if (!child) return []
  const { state, parts, signal } = run
  const prefix = `${open.call.id}/`
  const waiting = state.pending.filter(({ callId }) => callId.startsWith(prefix))
  const decided = waiting.filter((one) => isDecided(one, state.decisions))
  if (signal.aborted) finish(draft, open, stoppedResult({ ...open, child }, run), run)
  else if (parts.decided || waiting.length === 0 || decided.length > 0) {
    // By the ids that the calls have there.
    const decisions = Object.fromEntries(
      decided.map(({ callId }) => [callId.slice(prefix.length), state.decisions?.[callId] as Decision]),
    )
    return [{ ...open, child: { ...child, state: { ...child.state, decisions } } }]
  } else {
    draft.children[open.index] = child
    draft.pending.push(...waiting)
  }
  return []
}

function isDecided({ callId }: PendingCall, decisions: Decisions = {}): boolean {
  return Object.hasOwn(decisions, callId)
}
