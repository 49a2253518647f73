import { SpendLimiter, withOpenTurn } from '../limits.js'
import { outputToolName } from '../middleware/structured-output.js'
import { untrustedSourceOf } from '../middleware/taint-tracking.js'
import { KeyOrder } from '../tools/concurrency.js'
import { type Approval, type CallContext, dispatch } from '../tools/execute-call.js'
import { hasCheckedArguments } from '../tools/parse-arguments.js'
import { errorResult, notRunResult } from '../tools/rejections.js'
import { withError } from '../types/event.js'
import type { ChildStep, RunStep, Settled } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type {
  CallResult,
  ChildRun,
  Decision,
  Decisions,
  LimitName,
  Outcome,
  PendingCall,
  RunState,
} from '../types/state.js'
import { beginChild, boundedChild, childStep, cutChild, type RunAround } from './child-runs.js'
import { checkDecision, checkShown, toAnswer } from './decisions.js'
import { currentStep, openCalls, type RunContext, type RunSettings } from './run-context.js'
import { endOfTime, withinTime } from './time-limit.js'

/** Runs the open calls that have no outcome yet, each as one host step, in parallel. */
export function runOpenCalls(walk: RunContext, plan: RunSettings): Promise<StepResults> {
  const { state, firstTurn } = walk
  const handoffs = refusedHandoffs(state, plan)
  const over = overLimit(state)
  const refused = handoffs.size + over.size === 0 ? [] : [...handoffs, ...over]
  const fromReply = state.turn > firstTurn ? Object.entries(state.answered) : []
  for (const [index, outcome] of [...fromReply, ...refused])
    ended(openCalls(state)[Number(index)], outcome, plan, state)
  const { pending, children = {} } = state
  const answered: Record<number, CallResult> = { ...state.answered, ...Object.fromEntries(refused) }
  const isOpen = ({ id }: ToolCall, index: number) =>
    !answered[index] && !children[index] && !pending.some(({ callId }) => callId === id)
  const open = openCalls(state).flatMap((call, index) => (isOpen(call, index) ? [{ call, index }] : []))
  return runCalls(open, { answered, pending, children }, { walk, plan, phase: 'tool' })
}

/** The outcomes of a step's calls so far. */
export interface StepResults {
  readonly answered: Record<number, CallResult>
  readonly pending: PendingCall[]
  /** Pending child runs, by call index. */
  readonly children: Record<number, ChildRun>
  /** The host's error. The other fields have what was done before it. */
  readonly failure?: { readonly error: unknown }
}

/** Step results that are being collected. */
type Draft = { -readonly [Field in keyof StepResults]: StepResults[Field] }

/** A call to run, by its index in the step. */
interface CallToRun {
  readonly call: ToolCall
  readonly index: number
  /** Its approval, if it was pending. */
  readonly approval?: Approval
  /** The child run that resumes with it. */
  readonly child?: ChildRun
}

interface StepContext {
  readonly walk: RunContext
  readonly plan: RunSettings
  /** Part of the host step keys. */
  readonly phase: 'tool' | 'decided'
}

/** Runs calls in parallel and adds their outcomes to the results. */
async function runCalls(
  todos: readonly CallToRun[],
  before: StepResults,
  site: StepContext,
): Promise<StepResults> {
  const { plan } = site
  if (todos.length === 0) return before
  const isOfAgent = ({ call, child }: CallToRun) => child ?? plan.toolset.get(call.function.name)?.child
  const known = todos.some(isOfAgent)
    ? await runAllCalls(todos, site)
    : toKnown(todos, await plan.host.all(toSteps(todos, site)))
  const { answered, pending, children } = before
  const draft: Draft = { answered: { ...answered }, pending: [...pending], children: { ...children } }
  for (const one of known) add(draft, one, plan)
  return draft
}

/** Runs calls when some are answered by agents. A child run starts in a second step, after its call was approved. */
async function runAllCalls(todos: readonly CallToRun[], site: StepContext): Promise<readonly Known[]> {
  const { walk, plan } = site
  const run = { state: walk.state, plan, failed: new Map<string, unknown>() }
  const ofAgents = todos.filter(({ call, child }) => !child && plan.toolset.get(call.function.name)?.child)
  const agentOutcomes =
    ofAgents.length === 0 ? [] : toKnown(ofAgents, await plan.host.all(toSteps(ofAgents, site)))
  const begun = agentOutcomes.flatMap(({ todo, outcome }) =>
    outcome?.status === 'delegated' ? [{ ...todo, child: beginChild(todo, outcome, run) }] : [],
  )
  const inside = [...begun, ...todos.flatMap((todo) => (todo.child ? [{ ...todo, child: todo.child }] : []))]
  const others = todos.filter((todo) => !todo.child && !ofAgents.includes(todo))
  const steps = [...toSteps(others, site), ...inside.map((todo) => boundedStep(todo, run))]
  const known = toKnown([...others, ...inside], await plan.host.all<Outcome>(steps))
  for (const { todo, outcome } of known.slice(others.length))
    if (outcome && isAnswer(outcome)) ended(todo.call, outcome, plan, walk.state, run.failed)
  return [...agentOutcomes.filter(({ outcome }) => outcome?.status !== 'delegated'), ...known]
}

function boundedStep(todo: CallToRun & { readonly child: ChildRun }, run: RunAround): ChildStep<Outcome> {
  const { artifacts, signal, toolset } = run.plan
  const { name } = todo.call.function
  const origin = { tool: name, callId: todo.call.id, runId: run.state.runId }
  return boundedChild(childStep(todo, run), toolset.get(name)?.settings, { artifacts, signal, origin })
}

interface Known {
  readonly todo: CallToRun
  readonly outcome?: Outcome
  readonly error?: unknown
}

function toKnown(todos: readonly CallToRun[], settled: readonly Settled<Outcome>[]): Known[] {
  return todos.map((todo, position) => {
    const one = settled[position]
    return one?.ok ? { todo, outcome: one.value } : { todo, error: one?.error }
  })
}

function isAnswer(outcome: Outcome): outcome is CallResult {
  return outcome.status !== 'pending' && outcome.status !== 'delegated' && outcome.status !== 'paused'
}

function add(draft: Draft, { todo, outcome, error }: Known, { agent }: RunSettings): void {
  const { call, index, child } = todo
  if (!outcome) {
    draft.failure ??= { error }
    // A child run that was pending stays pending: it must not start again.
    if (child?.round) addChild(draft, todo, child)
  } else if (isAnswer(outcome)) draft.answered[index] = outcome
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
function toSteps(todos: readonly CallToRun[], { walk, plan, phase }: StepContext): RunStep<Outcome>[] {
  const context = toCallContext(walk, plan)
  const calls = openCalls(walk.state)
  return todos.map(({ call, index, approval }) => ({
    key: `t${context.step}/${phase}${index}`,
    options: { kind: 'tool', name: call.function.name, callId: call.id },
    run: (step) =>
      withinTime({ endsAt: endOfTime(walk) }, step, async (timed) => {
        const isChecked = hasCheckedArguments(calls, index)
        const outcome = await dispatch({ call, approval, isChecked }, context, timed)
        if (isAnswer(outcome)) ended(call, outcome, plan, walk.state, context.failures)
        return outcome
      }),
  }))
}

function toCallContext({ state }: RunContext, plan: RunSettings): CallContext {
  const { runId, usage, limits, flags } = state
  const step = currentStep(state)
  const view = {
    context: plan.context,
    runId,
    step,
    usage,
    approved: flags.approved ?? [],
    ...(flags.taintedBy === undefined ? {} : { taintedBy: flags.taintedBy }),
  }
  const spendLimiter = new SpendLimiter(withOpenTurn(state, plan.prices), limits, plan.prices)
  const {
    toolset,
    context,
    artifacts,
    slots,
    guards,
    repair,
    toolErrors,
    stepTimeoutMs: timeoutMs,
    emit,
  } = plan
  const order = new KeyOrder()
  return {
    toolset,
    context,
    artifacts,
    slots,
    guards,
    repair,
    timeoutMs,
    toolErrors,
    failures: new Map(),
    emit,
    order,
    spendLimiter,
    view,
    runId,
    step,
    untrustedSource: (id) => untrustedSourceOf(id, state, plan),
  }
}

/** Emits the end of a call. */
export function ended(
  call: ToolCall | undefined,
  { status, ms, content, artifacts = [], errorId }: CallResult,
  { emit }: RunSettings,
  state: RunState,
  failures?: ReadonlyMap<string, unknown>,
): void {
  if (!call || !emit) return
  const ref = { step: currentStep(state), callId: call.id, name: call.function.name }
  const event = {
    type: 'tool-end' as const,
    ...ref,
    status,
    ms,
    content,
    artifacts,
    ...(errorId ? { errorId } : {}),
  }
  emit(failures?.has(call.id) ? withError(event, failures.get(call.id)) : event)
}

const noResults: ReadonlyMap<number, CallResult> = new Map()

/** Returns results for open calls that would pass a limit on calls, by index. The other calls run. */
export function overLimit(state: RunState): ReadonlyMap<number, CallResult> {
  const { usage, limits, answered, pending, children } = state
  if (limits.toolCalls === undefined && limits.perTool === undefined) return noResults
  const refused = new Map<number, CallResult>()
  const perTool = new Map(Object.entries(usage.perTool))
  let all = usage.toolCalls
  for (const [index, { id, function: called }] of openCalls(state).entries()) {
    const waits = children?.[index] !== undefined || pending.some(({ callId }) => callId === id)
    const isKnown = answered[index] !== undefined || waits
    const ofTool = perTool.get(called.name) ?? 0
    const bound = boundOf(limits.perTool, called.name)
    // The final answer does not count against limits on calls.
    if (called.name === outputToolName) continue
    if (!isKnown && all >= (limits.toolCalls ?? Number.POSITIVE_INFINITY))
      refused.set(index, toRefusal('toolCalls', `calls (${limits.toolCalls})`))
    else if (!isKnown && ofTool >= bound)
      refused.set(index, toRefusal('perTool', `calls of "${called.name}" (${bound})`))
    all += 1
    perTool.set(called.name, ofTool + 1)
  }
  return refused
}

function boundOf(perTool: Readonly<Record<string, number>> = {}, name: string): number {
  return Object.hasOwn(perTool, name) ? (perTool[name] ?? 0) : Number.POSITIVE_INFINITY
}

function toRefusal(limit: LimitName, what: string): CallResult {
  return { ...errorResult('not_run', `the run's limit of ${what} is reached; this call did not run.`), limit }
}

/** Applies decisions to pending calls. Calls without a decision stay pending. */
export async function applyDecisions(walk: RunContext, plan: RunSettings): Promise<StepResults> {
  const { state } = walk
  const step = currentStep(state)
  const answered = { ...state.answered }
  const left: PendingCall[] = []
  const todos: CallToRun[] = []
  const own = state.pending.filter(({ callId }) => openCalls(state).some(({ id }) => id === callId))
  for (const call of own)
    if (!isDecided(call, state.decisions)) plan.emit?.({ type: 'call-pending', step, ...call })
  for (const waiting of own) {
    const index = openCalls(state).findIndex(({ id }) => id === waiting.callId)
    const call = openCalls(state)[index] as ToolCall
    const decision = await decisionFor(waiting, `t${step}/pending${index}`, walk, plan)
    const outcome = plan.signal.aborted ? notRunResult : decision && (await toAnswer(decision, plan))
    if (outcome) {
      answered[index] = outcome
      ended(call, outcome, plan, state)
    } else if (decision?.type === 'approve') {
      checkShown(waiting, call, plan.agent)
      todos.push({ call, index, approval: { arguments: decision.arguments } })
    } else left.push(waiting)
  }
  const children: Record<number, ChildRun> = {}
  for (const { call, index, child } of childrenOf(state)) {
    const waiting = state.pending.filter(({ callId }) => callId.startsWith(`${call.id}/`))
    const decisions = decisionsWithin(call, waiting, state.decisions)
    if (plan.signal.aborted) {
      const outcome = cutChild(child)
      answered[index] = outcome
      ended(call, outcome, plan, state)
    } else if (plan.waits || waiting.length === 0 || Object.keys(decisions).length > 0) {
      todos.push({ call, index, child: { ...child, state: { ...child.state, decisions } } })
    } else {
      children[index] = child
      for (const one of waiting) left.push(one)
    }
  }
  return runCalls(todos, { answered, pending: left, children }, { walk, plan, phase: 'decided' })
}

function isDecided({ callId }: PendingCall, decisions: Decisions = {}): boolean {
  return Object.hasOwn(decisions, callId)
}

async function decisionFor(
  call: PendingCall,
  key: string,
  { state }: RunContext,
  plan: RunSettings,
): Promise<Decision | undefined> {
  if (isDecided(call, state.decisions)) return state.decisions?.[call.callId]
  const decision = await plan.host.waitFor<Decision>(key, { call })
  if (decision) await checkDecision(call, decision, plan.toolset)
  return decision
}

/** The pending child runs of open calls. */
function childrenOf(state: RunState) {
  return openCalls(state).flatMap((call, index) => {
    const child = state.children?.[index]
    return child ? [{ call, index, child }] : []
  })
}

/** The decisions on calls of a child run, by the ids that they have there. */
function decisionsWithin(
  { id }: ToolCall,
  waiting: readonly PendingCall[],
  decisions: Decisions = {},
): Decisions {
  const decided = waiting.filter((one) => isDecided(one, decisions))
  return Object.fromEntries(
    decided.map(({ callId }) => [callId.slice(id.length + 1), decisions[callId] as Decision]),
  )
}

const noRefusals: ReadonlyMap<number, CallResult> = new Map()

/** Returns error results for handoffs to an unknown or to a second agent, by call index. */
export function refusedHandoffs(
  state: RunState,
  { toolset, agents }: RunSettings,
): ReadonlyMap<number, CallResult> {
  const calls = openCalls(state)
  if (!calls.some((call) => toolset.get(call.function.name)?.handoff !== undefined)) return noRefusals
  const refused = new Map<number, CallResult>()
  let first: string | undefined
  for (const [index, call] of calls.entries()) {
    const to = toolset.get(call.function.name)?.handoff
    if (to === undefined) continue
    const known = state.answered[index]
    if (known) first ??= known.status === 'ok' ? to : undefined
    else if (!agents.has(to)) refused.set(index, errorResult('error', `this run knows no agent "${to}".`))
    else if (first !== undefined)
      refused.set(index, errorResult('not_run', `the conversation goes to one agent alone, "${first}".`))
    else first = to
  }
  return refused
}
