import { CallOrder } from '../answer/call-order.js'
import type { Desk } from '../answer/desk.js'
import { type Approval, dispatch } from '../answer/dispatch.js'
import { isLookedThrough } from '../answer/known-arguments.js'
import { Purse } from '../answer/purse.js'
import { withError } from '../words/event.js'
import type { ChildStep, RunStep, Settled } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import type { Answer, ChildRun, Outcome, PendingCall, RunState } from '../words/state.js'
import { untrustedSourceOf } from './artifact-source.js'
import { boundedChild } from './bounded-child.js'
import { beginChild, childStep, type RunAround } from './child-steps.js'
import { withOpenTurn } from './costs.js'
import { endOfTime, withinTime } from './time.js'
import { currentStep, openCalls, type RunPlan, type Walk } from './walk.js'

/** What became of a turn's calls so far. */
export interface Answers {
  readonly answered: Record<number, Answer>
  readonly pending: PendingCall[]
  /** Agents that answer calls and wait for decisions, by call index. */
  readonly children: Record<number, ChildRun>
  /** What the host failed with; the rest is what was done all the same. */
  readonly failure?: { readonly error: unknown }
}

/** The same in the making. */
type Draft = { -readonly [Field in keyof Answers]: Answers[Field] }

/** A call to run, by its place in the turn. */
export interface Todo {
  readonly call: ToolCall
  readonly index: number
  /** The yes it waited for. */
  readonly approval?: Approval
  /** The agent that goes on with it. */
  readonly child?: ChildRun
}

interface Site {
  readonly walk: Walk
  readonly plan: RunPlan
  /** Names the steps. */
  readonly phase: 'tool' | 'decided'
}

/** Runs calls side by side, and adds what became of them to what is known. */
export async function perform(todos: readonly Todo[], before: Answers, site: Site): Promise<Answers> {
  const { plan } = site
  if (todos.length === 0) return before
  const isOfAgent = ({ call, child }: Todo) => child ?? plan.toolset.get(call.function.name)?.child
  const known = todos.some(isOfAgent)
    ? await performAll(todos, site)
    : toKnown(todos, await plan.host.all(toSteps(todos, site)))
  const { answered, pending, children } = before
  const draft: Draft = { answered: { ...answered }, pending: [...pending], children: { ...children } }
  for (const one of known) add(draft, one, plan)
  return draft
}

/** With agents among what answers: one begins in a step of its own, since whether it may is asked for before. */
async function performAll(todos: readonly Todo[], site: Site): Promise<readonly Known[]> {
  const { walk, plan } = site
  const run = { state: walk.state, plan, failed: new Map<string, unknown>() }
  const ofAgents = todos.filter(({ call, child }) => !child && plan.toolset.get(call.function.name)?.child)
  const asked = ofAgents.length === 0 ? [] : toKnown(ofAgents, await plan.host.all(toSteps(ofAgents, site)))
  const begun = asked.flatMap(({ todo, outcome }) =>
    outcome?.status === 'delegated' ? [{ ...todo, child: beginChild(todo, outcome, run) }] : [],
  )
  const inside = [...begun, ...todos.flatMap((todo) => (todo.child ? [{ ...todo, child: todo.child }] : []))]
  const others = todos.filter((todo) => !todo.child && !ofAgents.includes(todo))
  const steps = [...toSteps(others, site), ...inside.map((todo) => boundedStep(todo, run))]
  const known = toKnown([...others, ...inside], await plan.host.all<Outcome>(steps))
  for (const { todo, outcome } of known.slice(others.length))
    if (outcome && isAnswer(outcome)) ended(todo.call, outcome, plan, walk.state, run.failed)
  return [...asked.filter(({ outcome }) => outcome?.status !== 'delegated'), ...known]
}

function boundedStep(todo: Todo & { readonly child: ChildRun }, run: RunAround): ChildStep<Outcome> {
  const { artifacts, signal, toolset } = run.plan
  const { name } = todo.call.function
  const origin = { tool: name, callId: todo.call.id, runId: run.state.runId }
  return boundedChild(childStep(todo, run), toolset.get(name)?.settings, { artifacts, signal, origin })
}

interface Known {
  readonly todo: Todo
  readonly outcome?: Outcome
  readonly error?: unknown
}

function toKnown(todos: readonly Todo[], settled: readonly Settled<Outcome>[]): Known[] {
  return todos.map((todo, position) => {
    const one = settled[position]
    return one?.ok ? { todo, outcome: one.value } : { todo, error: one?.error }
  })
}

function isAnswer(outcome: Outcome): outcome is Answer {
  return outcome.status !== 'pending' && outcome.status !== 'delegated' && outcome.status !== 'paused'
}

function add(draft: Draft, { todo, outcome, error }: Known, { agent }: RunPlan): void {
  const { call, index, child } = todo
  if (!outcome) {
    draft.failure ??= { error }
    // One that waited before waits on: it must not begin anew.
    if (child?.round) addChild(draft, todo, child)
  } else if (isAnswer(outcome)) draft.answered[index] = outcome
  else if (outcome.status === 'pending') {
    const { status: _, ...waiting } = outcome
    draft.pending.push({ callId: call.id, name: call.function.name, agent, ...waiting })
  } else if (outcome.status === 'paused' && child)
    addChild(draft, todo, { ...child, state: outcome.state, round: child.round + 1 })
}

function addChild({ pending, children }: Draft, { call, index }: Todo, child: ChildRun): void {
  for (const one of child.state.pending) pending.push({ ...one, callId: `${call.id}/${one.callId}` })
  children[index] = child
}

/** Steps of one phase share a desk: their order and what they spend are one turn's. */
function toSteps(todos: readonly Todo[], { walk, plan, phase }: Site): RunStep<Outcome>[] {
  const desk = toDesk(walk, plan)
  const calls = openCalls(walk.state)
  return todos.map(({ call, index, approval }) => ({
    key: `t${desk.step}/${phase}${index}`,
    options: { kind: 'tool', name: call.function.name, callId: call.id },
    run: (step) =>
      withinTime({ endsAt: endOfTime(walk) }, step, async (timed) => {
        const isSound = isLookedThrough(calls, index)
        const outcome = await dispatch({ call, approval, isSound }, desk, timed)
        if (isAnswer(outcome)) ended(call, outcome, plan, walk.state, desk.failures)
        return outcome
      }),
  }))
}

function toDesk({ state }: Walk, plan: RunPlan): Desk {
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
  const purse = new Purse(withOpenTurn(state, plan.prices), limits, plan.prices)
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
  const order = new CallOrder()
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
    purse,
    view,
    runId,
    step,
    untrustedSource: (id) => untrustedSourceOf(id, state, plan),
  }
}

/** Tells the end of a call. */
export function ended(
  call: ToolCall | undefined,
  { status, ms, content, artifacts = [], errorId }: Answer,
  { emit }: RunPlan,
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
