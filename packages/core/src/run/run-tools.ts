import { CapstanError } from '../errors.js'
import { checkDecision, checkShown, decidedResult } from '../features/resume/decisions.js'
import { getOwn } from '../json.js'
import type { SpendLimiter } from '../limits.js'
import { KeyOrder } from '../tools/concurrency.js'
import { dispatch } from '../tools/execute-call.js'
import { type Approval, type CallContext, judgeCall } from '../tools/prepare-call.js'
import { cancelledResult, errorResult, notRunResult } from '../tools/rejections.js'
import type { RunStep, Settled, Step, StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import {
  type CallRecord,
  type CallResult,
  type ChildRun,
  currentStep,
  type Decision,
  type Decisions,
  type LimitName,
  type Outcome,
  type PendingCall,
} from '../types/state.js'
import type { OpenCall, RunView } from './middleware.js'
import { taintOfArtifact } from './reachable-agents.js'
import type { RunContext } from './run-context.js'
import { stepKey } from './step-keys.js'
import { callEnded } from './steps.js'
import { endOfTime, withinTime } from './time-limit.js'
import type { StepResults } from './turn.js'

/** Runs the open calls that have no outcome yet, each as one host step, in parallel. */
export function runOpenCalls(run: RunContext): Promise<StepResults> {
  const { state, firstStep } = run
  const { results, pending, children } = state
  const draft = { results: { ...results }, pending: [...pending], children: { ...children } }
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

/** Whether its tool runs a call, between host steps. */
function isStarted({ child, input }: OpenCall): boolean {
  return child !== undefined || input !== undefined
}

/** Step results that are being collected. */
type Draft = { -readonly [Field in keyof StepResults]: StepResults[Field] }

interface Phase {
  readonly run: RunContext
  /** The kind of the host steps. */
  readonly kind: 'call' | 'decided'
  /** By call index. */
  readonly approvals?: ReadonlyMap<number, Approval>
}

/**
 * Runs calls in parallel and adds their outcomes to the results. A call of a tool with `toInput` runs in a second step of
 * the host, after its input is known.
 */
async function runCalls(calls: readonly OpenCall[], draft: Draft, phase: Phase): Promise<StepResults> {
  if (calls.length === 0) return draft
  const { run } = phase
  const failures = new Map<string, unknown>()
  const toStep = stepsOf(phase, failures)
  const first = calls.filter(({ call, child }) => !child && run.toolset.get(call.function.name)?.toInput)
  const ready = first.length > 0 ? await runSteps(first, first.map(toStep), draft, run) : first
  const second = [
    ...calls.filter((one) => !one.child && !first.includes(one)),
    ...ready,
    ...calls.filter(({ child }) => child),
  ]
  const steps = second.map((one) => (isStarted(one) ? stepOfTool(one, run, failures) : toStep(one)))
  await runSteps(second, steps, draft, run, failures)
  return draft
}

/** Runs calls as steps of the host and adds their outcomes to the results. Returns those whose input is known now. */
async function runSteps(
  calls: readonly OpenCall[],
  steps: readonly (Step<Outcome> | CallResult)[],
  draft: Draft,
  run: RunContext,
  failures?: ReadonlyMap<string, unknown>,
): Promise<readonly OpenCall[]> {
  const settled = await run.parts.host.all(steps.filter((one) => 'key' in one))
  const ready: OpenCall[] = []
  let at = 0
  calls.forEach((open, index) => {
    const step = steps[index] as Step<Outcome> | CallResult
    const one = 'key' in step ? settled[at++] : { ok: true as const, value: step }
    // The end of other calls is reported within their steps.
    if (one?.ok && isResult(one.value) && isStarted(open)) ended(open.call, one.value, run, failures)
    if (one?.ok && one.value.status === 'ready') ready.push({ ...open, ...one.value })
    else add(draft, open, one, run)
  })
  return ready
}

function isResult(outcome: Outcome): outcome is CallResult {
  return 'content' in outcome
}

function add(
  draft: Draft,
  open: OpenCall,
  settled: Settled<Outcome> | undefined,
  { agent }: RunContext,
): void {
  const { call, index, child } = open
  if (!settled?.ok) {
    draft.failure ??= { error: settled?.error }
    // A child run that was pending stays pending: it must not start again.
    if (child) addChild(draft, open, child)
    return
  }
  const { value: outcome } = settled
  if (isResult(outcome)) draft.results[index] = outcome
  else if (outcome.status === 'pending') {
    const { status: _, ...waiting } = outcome
    draft.pending.push({ callId: call.id, name: call.function.name, agent, ...waiting })
  } else if (outcome.status === 'paused') {
    const { round, notes } = child ?? { round: 0, notes: open.notes }
    addChild(draft, open, { state: outcome.state, round: round + 1, ...(notes && { notes }) })
  }
}

function addChild({ pending, children }: Draft, { call, index }: OpenCall, child: ChildRun): void {
  for (const one of child.state.pending) pending.push({ ...one, callId: `${call.id}/${one.callId}` })
  children[index] = child
}

function finish(draft: Draft, { index, call }: OpenCall, result: CallResult, run: RunContext): void {
  draft.results[index] = result
  ended(call, result, run)
}

/** Returns how calls become host steps of one phase. They share one call context, with their order and spending. */
function stepsOf(
  { run, kind, approvals }: Phase,
  failures: Map<string, unknown>,
): (open: OpenCall) => RunStep<Outcome> {
  const context = { ...toCallContext(run), failures }
  const bounds = { endsAt: endOfTime(run) }
  const runOne = async (open: OpenCall, given: StepContext): Promise<Outcome> => {
    // One key, before and after an approval, and for any run that resumes it.
    const step = { ...given, idempotencyKey: run.callKey(open.index) }
    const outcome = await dispatch(open.call, context, step, approvals?.get(open.index))
    if (isResult(outcome)) ended(open.call, outcome, run, failures)
    return outcome
  }
  return (open) => ({
    key: stepKey(context.step, `${kind}${open.index}`),
    options: { kind: 'tool', name: open.call.function.name, callId: open.call.id },
    run: (step) => withinTime(bounds, step, (timed) => runOne(open, timed)),
  })
}

/**
 * Returns the step of a call whose tool runs it. The error of a child run stays in the process where it failed.
 * @throws CapstanError `invalid_state` when its tool does not run it
 */
function stepOfTool(
  open: OpenCall,
  run: RunContext,
  failures: Map<string, unknown>,
): Step<Outcome> | CallResult {
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
      if ('error' in end) failures.set(id, end.error)
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
function toCallContext(run: RunContext): CallContext {
  const { state, settings, parts, toolset } = run
  const { hooks } = settings
  let limiter: SpendLimiter | undefined
  return {
    toolset,
    context: parts.context,
    artifacts: parts.artifacts,
    scheduler: settings.scheduler,
    judge: (call, tool) => judgeCall(call, tool, hooks.beforeTool, run),
    finish: (call, result) => hooks.finish(result, call, run),
    wrap: hooks.wrapTool.length === 0 ? undefined : (call, work) => hooks.wrap(call, run, work),
    unattended: parts.unattended,
    repair: settings.repair,
    timeoutMs: settings.stepTimeoutMs,
    toolErrors: settings.toolErrors,
    failures: new Map(),
    emit: parts.emit,
    order: new KeyOrder(),
    spendLimiter() {
      limiter ??= run.limiter()
      return limiter
    },
    runId: state.runId,
    step: currentStep(state),
    taintedBy: state.taintedBy,
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
  call: ToolCall | undefined,
  result: CallResult,
  run: RunContext,
  failures?: ReadonlyMap<string, unknown>,
): void {
  if (!call || !run.parts.emit) return
  const record = { callId: call.id, name: call.function.name, step: currentStep(run.state) }
  callEnded(record, result, run, failures)
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
    const { toolCalls: most = Number.POSITIVE_INFINITY } = limits
    const mostOfTool = getOwn(limits.perTool, name) ?? Number.POSITIVE_INFINITY
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
  const { state, parts, signal } = run
  const draft: Draft = { results: { ...state.results }, pending: [], children: {} }
  const approvals = new Map<number, Approval>()
  const todo: OpenCall[] = []
  const calls = run.openCalls
  const own = state.pending.flatMap(({ callId }) => calls.find(({ call }) => call.id === callId) ?? [])
  for (const { pending } of own)
    if (pending && !isDecided(pending, state.decisions))
      parts.emit?.({ type: 'call-pending', step: run.step, ...pending })
  for (const { pending, ...open } of own) {
    if (!pending) continue
    const decision = await decisionFor(pending, stepKey(run.step, `decision${open.index}`), run)
    const result = signal.aborted ? notRunResult : decision && (await decidedResult(decision, pending, run))
    if (result) finish(draft, open, result, run)
    else if (decision?.type === 'approve') {
      checkShown(pending, open.call, run.agent)
      approvals.set(open.index, { arguments: decision.arguments })
      todo.push(open)
    } else draft.pending.push(pending)
  }
  for (const open of calls) todo.push(...decideChild(open, draft, run))
  return runCalls(todo, draft, { run, kind: 'decided', approvals })
}

/** Adds to the results what becomes of a pending child run. Returns one that goes on, with its decisions. */
function decideChild({ child, ...open }: OpenCall, draft: Draft, run: RunContext): readonly OpenCall[] {
  if (!child) return []
  const { state, parts, signal } = run
  const prefix = `${open.call.id}/`
  const waiting = state.pending.filter(({ callId }) => callId.startsWith(prefix))
  const decided = waiting.filter((one) => isDecided(one, state.decisions))
  if (signal.aborted) finish(draft, open, stoppedResult({ ...open, child }, run), run)
  else if (parts.waits || waiting.length === 0 || decided.length > 0) {
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

async function decisionFor(
  call: PendingCall,
  key: string,
  { state, parts, toolset }: RunContext,
): Promise<Decision | undefined> {
  if (isDecided(call, state.decisions)) return state.decisions?.[call.callId]
  const decision = await parts.host.waitFor<Decision>(key, { call })
  if (decision) await checkDecision(call, decision, toolset)
  return decision
}
