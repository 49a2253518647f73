import { CapstanError } from '../errors.js'
import { checkDecision, checkShown, decidedResult } from '../features/resume/decisions.js'
import { getOwn } from '../json.js'
import { SpendLimiter } from '../limits.js'
import { KeyOrder } from '../tools/concurrency.js'
import { type Delegation, dispatch } from '../tools/execute-call.js'
import { type Approval, type CallContext, judgeCall } from '../tools/prepare-call.js'
import { errorResult, notRunResult } from '../tools/rejections.js'
import type { RunStep, Settled, StepContext } from '../types/host.js'
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
  openCalls,
  type PendingCall,
  type RunState,
} from '../types/state.js'
import { taintOfArtifact } from './reachable-agents.js'
import { handoffRulesOf, idOfCall, type RunContext } from './run-context.js'
import { stepKey } from './step-keys.js'
import { callEnded } from './steps.js'
import { endOfTime, withinTime } from './time-limit.js'
import type { StepResults } from './turn.js'

/** Runs the open calls that have no outcome yet, each as one host step, in parallel. */
export function runOpenCalls(run: RunContext): Promise<StepResults> {
  const { state, firstStep } = run
  const calls = openCalls(state)
  const results: Record<number, CallResult> = { ...state.results }
  // Those of the reply itself, which cannot run.
  if (state.stepCount > firstStep)
    calls.forEach((call, index) => {
      if (results[index]) ended(call, results[index], run)
    })
  const refuse = (outcome: CallResult, index: number) => {
    results[index] = outcome
    ended(calls[index], outcome, run)
  }
  handoffRulesOf(run)?.refused(run).forEach(refuse)
  overLimit(run).forEach(refuse)
  const open = calls.flatMap((call, index) =>
    isKnown(call, index, { ...state, results }) ? [] : [{ call, index }],
  )
  const { pending, children } = state
  const draft = { results, pending: [...pending], children: { ...children } }
  return runCalls(open, draft, { run, kind: 'call' })
}

/** Whether a call has a result, or waits for one. */
function isKnown(
  { id }: ToolCall,
  index: number,
  { results, pending, children }: Pick<RunState, 'results' | 'pending' | 'children'>,
): boolean {
  return Boolean(results[index] ?? children?.[index]) || pending.some(({ callId }) => callId === id)
}

/** Step results that are being collected. */
type Draft = { -readonly [Field in keyof StepResults]: StepResults[Field] }

/** A call to run, by its index in the step. */
export interface CallToRun {
  readonly call: ToolCall
  readonly index: number
  /** Its approval, if it was pending. */
  readonly approval?: Approval
  /** The child run that resumes with it. */
  readonly child?: ChildRun
}

export interface Phase {
  readonly run: RunContext
  /** The kind of the host steps. */
  readonly kind: 'call' | 'decided'
}

/** How the calls of a tool run that an agent answers. The tool brings it along. */
export interface ChildRuns extends Delegation {
  /** Runs calls of which agents answer some. */
  run(todos: readonly CallToRun[], phase: Phase): Promise<readonly Known[]>
  /** Adds to the results what becomes of pending child runs. Returns those that go on. */
  decide(run: RunContext, results: StepResults): readonly CallToRun[]
  /** Returns the result of a child run that was stopped. Its usage counts. */
  cancel(child: ChildRun): CallResult
  /** Returns the pending child runs of a state, each with its share of the change to the run's limits. */
  raise(state: RunState, limits: RunState['limits']): Record<number, ChildRun>
}

/** Returns how a call runs that an agent answers. @throws CapstanError `invalid_state` when no agent does */
export function childRunsOf({ function: { name } }: ToolCall, { toolset }: RunContext): ChildRuns {
  const child = toolset.get(name)?.child
  if (child) return child.runs as ChildRuns
  const message = `The state has a child run for a call of "${name}", which is not an agent.`
  throw new CapstanError('invalid_state', message, { evidence: { name } })
}

/** Runs calls in parallel and adds their outcomes to the results. */
async function runCalls(todos: readonly CallToRun[], draft: Draft, phase: Phase): Promise<StepResults> {
  const { run } = phase
  if (todos.length === 0) return draft
  const ofAgent = todos.find(({ call, child }) => child ?? run.toolset.get(call.function.name)?.child)
  const known = ofAgent
    ? await childRunsOf(ofAgent.call, run).run(todos, phase)
    : toKnown(todos, await run.parts.host.all(toSteps(todos, phase)))
  for (const one of known) add(draft, one, run)
  return draft
}

export interface Known {
  readonly todo: CallToRun
  readonly outcome?: Outcome
  readonly error?: unknown
}

export function toKnown(todos: readonly CallToRun[], settled: readonly Settled<Outcome>[]): Known[] {
  return todos.map((todo, position) => {
    const one = settled[position]
    return one?.ok ? { todo, outcome: one.value } : { todo, error: one?.error }
  })
}

export function isResult(outcome: Outcome): outcome is CallResult {
  return 'content' in outcome
}

function add(draft: Draft, { todo, outcome, error }: Known, { agent }: RunContext): void {
  const { call, index, child } = todo
  if (!outcome) {
    draft.failure ??= { error }
    // A child run that was pending stays pending: it must not start again.
    if (child?.round) addChild(draft, todo, child)
  } else if (isResult(outcome)) draft.results[index] = outcome
  else if (outcome.status === 'pending') {
    const { status: _, ...waiting } = outcome
    draft.pending.push({ callId: call.id, name: call.function.name, agent, ...waiting })
  } else if (outcome.status === 'paused' && child)
    addChild(draft, todo, { ...child, state: outcome.state, round: child.round + 1 })
}

function addChild({ pending, children }: Draft, { call, index }: CallToRun, child: ChildRun): void {
  for (const one of child.state.pending) pending.push({ ...one, callId: `${call.id}/${one.callId}` })
  children[index] = child
}

/** Creates the host steps of one phase. They share one call context, with their order and spending. */
export function toSteps(todos: readonly CallToRun[], { run, kind }: Phase): RunStep<Outcome>[] {
  const context = toCallContext(run)
  const runCall = ({ call, index, approval }: CallToRun, given: StepContext): Promise<Outcome> => {
    // One key, before and after an approval, and for any run that resumes it.
    const step = { ...given, idempotencyKey: idOfCall(run.state, `call${index}`) }
    const finish = (outcome: Outcome) => {
      if (isResult(outcome)) ended(call, outcome, run, context.failures)
      return outcome
    }
    const dispatched = dispatch({ call, approval }, context, step)
    return dispatched instanceof Promise ? dispatched.then(finish) : Promise.resolve(finish(dispatched))
  }
  return todos.map((todo) => ({
    key: stepKey(context.step, `${kind}${todo.index}`),
    options: { kind: 'tool', name: todo.call.function.name, callId: todo.call.id },
    run: (step) => withinTime({ endsAt: endOfTime(run) }, step, (timed) => runCall(todo, timed)),
  }))
}

/** Returns what the calls of the current step share. */
export function toCallContext(run: RunContext): CallContext {
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
      limiter ??= new SpendLimiter(state, settings.prices)
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
  const outcome = await dispatch({ call, approval }, { ...toCallContext(run), step, toolset }, given)
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
  state,
  toolset,
}: Pick<RunContext, 'state' | 'toolset'>): ReadonlyMap<number, CallResult> {
  const { usage, limits } = state
  if (limits.toolCalls === undefined && limits.perTool === undefined) return noResults
  const refused = new Map<number, CallResult>()
  const perTool = new Map(Object.entries(usage.perTool))
  let all = usage.toolCalls
  for (const [index, call] of openCalls(state).entries()) {
    const { name } = call.function
    // The final answer does not count against limits on calls.
    if (toolset.get(name)?.endsRun) continue
    const ofTool = perTool.get(name) ?? 0
    const { toolCalls: most = Number.POSITIVE_INFINITY } = limits
    const mostOfTool = getOwn(limits.perTool, name) ?? Number.POSITIVE_INFINITY
    if (!isKnown(call, index, state)) {
      if (all >= most) refused.set(index, toRefusal('toolCalls', `calls (${most})`))
      else if (ofTool >= mostOfTool)
        refused.set(index, toRefusal('perTool', `calls of "${name}" (${mostOfTool})`))
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
  const step = currentStep(state)
  const results = { ...state.results }
  const left: PendingCall[] = []
  const todos: CallToRun[] = []
  const calls = openCalls(state)
  const places = new Map(calls.map(({ id }, index) => [id, index]))
  const own = state.pending.filter(({ callId }) => places.has(callId))
  for (const call of own)
    if (!isDecided(call, state.decisions)) parts.emit?.({ type: 'call-pending', step, ...call })
  for (const waiting of own) {
    const index = places.get(waiting.callId) as number
    const call = calls[index] as ToolCall
    const decision = await decisionFor(waiting, stepKey(step, `decision${index}`), run)
    const outcome = signal.aborted ? notRunResult : decision && (await decidedResult(decision, waiting, run))
    if (outcome) {
      results[index] = outcome
      ended(call, outcome, run)
    } else if (decision?.type === 'approve') {
      checkShown(waiting, call, run.agent)
      todos.push({ call, index, approval: { arguments: decision.arguments } })
    } else left.push(waiting)
  }
  const draft: Draft = { results, pending: left, children: {} }
  const withChild = calls.find((_, index) => state.children?.[index])
  if (withChild) todos.push(...childRunsOf(withChild, run).decide(run, draft))
  return runCalls(todos, draft, { run, kind: 'decided' })
}

export function isDecided({ callId }: PendingCall, decisions: Decisions = {}): boolean {
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
