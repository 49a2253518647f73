import type { ArtifactStore } from '../../artifacts/artifact.js'
import { abortable } from '../../async.js'
import { CapstanError, forModel, messageOf } from '../../errors.js'
import { limitKinds, withOpenStep, workSeconds } from '../../limits.js'
import { agentBehind, type ReachableAgent } from '../../run/reachable-agents.js'
import { idOfCall, type RunContext } from '../../run/run-context.js'
import {
  type CallToRun,
  type ChildRuns,
  childRunsOf,
  ended,
  isDecided,
  isResult,
  type Known,
  type Phase,
  toKnown,
  toSteps,
} from '../../run/run-tools.js'
import { stepKey } from '../../run/step-keys.js'
import type { StepResults } from '../../run/turn.js'
import type { CallStep } from '../../tools/execute-call.js'
import type { PreparedCall } from '../../tools/prepare-call.js'
import { cancelledResult, errorResult, hiddenFailure, toolFailure } from '../../tools/rejections.js'
import { toReference } from '../../tools/render-result.js'
import type { ChildRunner, ChildStep } from '../../types/host.js'
import { type ToolCall, wordsOf } from '../../types/message.js'
import {
  type CallResult,
  type ChildRun,
  currentStep,
  type Decision,
  type Decisions,
  type Limits,
  type Outcome,
  openCalls,
  type PendingCall,
  type ReadyOutcome,
  type RunState,
} from '../../types/state.js'
import { type Usage, withSpending, withUsage } from '../../usage.js'
import { truncateResult } from '../long-results.js'

/** How the calls of an agent as a tool run: each as a child run of the run that makes the call. */
export const childRuns: ChildRuns = {
  delegate,
  run: runCalls,
  decide: decideChildren,
  cancel: cancelChild,
  raise: raiseLimits,
}

/** Hands a call over to the agent of its tool. `toInput` is code of the user, which may throw. */
function delegate(
  { call, tool, args, notes }: PreparedCall,
  { context, step: host }: CallStep,
): ReadyOutcome | Promise<CallResult> {
  try {
    const input: unknown = tool.child?.toInput(args)
    if (typeof input !== 'string' || input.trim() === '') throw noInput(tool.name)
    const { emit, step } = context
    emit?.({ type: 'tool-start', step, callId: call.id, name: tool.name, arguments: args })
    return { status: 'ready', input, notes: { ...notes } }
  } catch (error) {
    return toolFailure(error, { call, args }, context, host)
  }
}

function noInput(name: string): CapstanError {
  const message = `The arguments of "${name}" give the agent no text. Say in words what it is to do.`
  return forModel(new CapstanError('invalid_arguments', message, { evidence: { name } }))
}

/** A call of an agent, with its child run. */
interface ChildCall extends CallToRun {
  readonly child: ChildRun
}

/** Runs calls when some are answered by agents. A child run starts in a second step, after its call was approved. */
async function runCalls(todos: readonly CallToRun[], phase: Phase): Promise<readonly Known[]> {
  const { run } = phase
  const { host } = run.parts
  const failed = new Map<string, unknown>()
  const ofAgents = todos.filter(({ call, child }) => !child && run.toolset.get(call.function.name)?.child)
  const agentOutcomes =
    ofAgents.length === 0 ? [] : toKnown(ofAgents, await host.all(toSteps(ofAgents, phase)))
  const begun = agentOutcomes.flatMap(({ todo, outcome }) =>
    outcome?.status === 'ready' ? [{ ...todo, child: beginChild(todo, outcome, run) }] : [],
  )
  const inside = [...begun, ...todos.flatMap((todo) => (todo.child ? [{ ...todo, child: todo.child }] : []))]
  const others = todos.filter((todo) => !todo.child && !ofAgents.includes(todo))
  const childSteps = inside.map((todo) => childStep(todo, run, failed))
  const known = toKnown(
    [...others, ...inside],
    await host.all<Outcome>([...toSteps(others, phase), ...childSteps]),
  )
  for (const { todo, outcome } of known.slice(others.length))
    if (outcome && isResult(outcome)) ended(todo.call, outcome, run, failed)
  return [...agentOutcomes.filter(({ outcome }) => outcome?.status !== 'ready'), ...known]
}

/** Adds to the results what becomes of pending child runs. Returns those that go on. */
function decideChildren(run: RunContext, { results, pending, children }: StepResults): readonly CallToRun[] {
  const { state, parts, signal } = run
  const todos: CallToRun[] = []
  for (const [index, call] of openCalls(state).entries()) {
    const child = state.children?.[index]
    if (!child) continue
    const waiting = state.pending.filter(({ callId }) => callId.startsWith(`${call.id}/`))
    const decisions = decisionsWithin(call, waiting, state.decisions)
    if (signal.aborted) {
      const outcome = childRunsOf(call, run).cancel(child)
      results[index] = outcome
      ended(call, outcome, run)
    } else if (parts.waits || waiting.length === 0 || Object.keys(decisions).length > 0) {
      todos.push({ call, index, child: { ...child, state: { ...child.state, decisions } } })
    } else {
      children[index] = child
      for (const one of waiting) pending.push(one)
    }
  }
  return todos
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

/** Creates the child run of a call, within what is left of the parent's limits. */
function beginChild({ call, index }: CallToRun, { input, notes }: ReadyOutcome, run: RunContext): ChildRun {
  const { state } = run
  const runId = idOfCall(state, `child${index}`)
  const begun = agentOf(call, run).start(input, { runId, limits: remainingLimits(index, run) })
  // Its input was written by a model that has read untrusted text.
  const { taintedBy } = state
  return { state: { ...begun, ...(taintedBy !== undefined && { taintedBy }) }, round: 0, notes }
}

/** Returns the host step that starts a child run, or resumes it with decisions. Errors of it are added to `failed`. */
function childStep(
  { call, index, child: { state: inner, round, notes } }: ChildCall,
  run: RunContext,
  failed: Map<string, unknown>,
): ChildStep<Outcome> {
  const { state } = run
  const step = currentStep(state)
  return {
    key: stepKey(step, round === 0 ? `child${index}` : `child${index}.${round}`),
    child: { agent: agentOf(call, run).name, state: inner, callId: call.id },
    settle: (end) => {
      // The error stays in the process where the child run failed.
      if ('error' in end) failed.set(call.id, end.error)
      if (end.stopReason === 'pending') return { status: 'paused', state: end }
      const idempotencyKey = `${state.runId}/${stepKey(step, `child${index}`)}`
      const result = toResult(end, run, { idempotencyKey, needsOutput: hasOutput(call, run) })
      return truncated({ ...result, ...notes }, call, run)
    },
  }
}

/** Returns the result of a child run that was stopped. Its usage counts. */
function cancelChild({ state, notes }: ChildRun): CallResult {
  return { ...cancelledResult, ...leftBehind(state), ...notes }
}

function agentOf(call: ToolCall, { toolset, parts }: RunContext): ChildRunner {
  const name = toolset.get(call.function.name)?.child?.agent ?? ''
  const agent = parts.agents.get(name)
  if (agent) return agent
  throw new CapstanError('not_found', `This run has no agent "${name}".`, { evidence: { name } })
}

/** Whether results of the call are values of an output schema. */
function hasOutput(call: ToolCall, { toolset }: RunContext): boolean {
  const tool = toolset.get(call.function.name)
  return (
    tool !== undefined &&
    agentBehind<ReachableAgent & { outputSchema?: unknown }>(tool)?.outputSchema !== undefined
  )
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
  if (flags.failure !== undefined && settings.toolErrors.shown === 'expected')
    return { ...hiddenFailure(`the agent "${state.agent}" failed`, idempotencyKey), ...leftBehind(state) }
  const text = childMessage(state)
  const made = artifacts.map((artifact) => JSON.stringify(toReference(artifact)))
  const content = [text, ...made].filter((line) => line !== '').join('\n')
  const isOver = state.stopReason === 'done' || state.stopReason === 'condition'
  const result = state.output === undefined && !needsOutput ? text : state.output
  if (isOver && content !== '' && result !== undefined)
    return { status: 'ok', content, result, ...leftBehind(state), ms: 0 }
  const end =
    state.stopReason === 'done' ? 'no answer' : (flags.failure ?? state.limit ?? String(state.stopReason))
  const why = `the agent "${state.agent}" stopped before it was done: ${end}.`
  const words = content === '' ? why : `${why} Its last text: ${content}`
  return { ...errorResult('error', words), ...leftBehind(state) }
}

/** The child's output or last text; after `stopWhen`, the result of the last call. */
function childMessage({ output, messages, stopReason }: RunState): string {
  if (output !== undefined) return typeof output === 'string' ? output : JSON.stringify(output)
  const texts = messages.flatMap((one) => (one.role === 'assistant' ? [wordsOf(one)] : []))
  const text = texts.findLast((one) => one.trim() !== '')
  if (text !== undefined || stopReason !== 'condition') return text ?? ''
  const asked = messages.findLastIndex(({ role }) => role === 'assistant')
  const brought = messages.slice(asked + 1).flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return brought.join('\n')
}

/** The parts of a child run that its parent takes over. */
function leftBehind({ artifacts = [], usage, taintedBy }: RunState) {
  return {
    artifacts,
    usage,
    ...(taintedBy !== undefined && { taintedBy }),
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
    return { ...result, ...(await truncateResult(result.content, settings, () => ({ store, origin }))) }
  } catch (error) {
    // The usage counts although the text cannot be stored.
    const { result: _, ...rest } = result
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}

/**
 * Returns the limits of a child run: its share of what is left of the parent's. Child runs of one step share equally,
 * the first ones get the remainder, and the part of pending child runs is reserved. Together they pass no limit.
 */
export function remainingLimits(
  index: number,
  run: Pick<RunContext, 'state' | 'settings' | 'toolset'>,
): Limits {
  const { state } = run
  const { limits, children = {} } = state
  const usage = withOpenStep(state, run.settings.prices)
  const waiting = Object.values(children).map((child) => child.state)
  const among = sharersOf(index, run)
  const left: [string, unknown][] = amounts.flatMap((name) => {
    const bound = limits[name]
    if (bound === undefined) return []
    const kept = waiting.reduce(
      (sum, one) => sum + Math.max(0, (one.limits[name] ?? 0) - used(name, one.usage)),
      0,
    )
    const open = name === 'toolCalls' ? openCalls(state).length : 0
    // Time passes for all child runs at once; some is reserved for the final answer.
    const rest =
      name === 'seconds'
        ? workSeconds(bound) - used(name, usage)
        : splitLimit(bound - used(name, usage) - open - kept, isWhole(name), among)
    return [[name, Math.max(0, rest)]]
  })
  const { perTool } = limits
  if (perTool) left.push(['perTool', remainingPerTool(perTool, usage, among)])
  return Object.fromEntries(left)
}

function remainingPerTool(
  bounds: Readonly<Record<string, number>>,
  { perTool }: Usage,
  among: LimitSharers,
): Record<string, number> {
  const spent = new Map(Object.entries(perTool))
  const left = Object.entries(bounds).map(([name, bound]) => [
    name,
    Math.max(0, splitLimit(bound - (spent.get(name) ?? 0), true, among)),
  ])
  return Object.fromEntries(left)
}

function sharersOf(index: number, { state, toolset }: Pick<RunContext, 'state' | 'toolset'>): LimitSharers {
  const { results, children = {} } = state
  const mayBegin = openCalls(state).map(
    (call, at) => !results[at] && !children[at] && toolset.get(call.function.name)?.child !== undefined,
  )
  const count = Math.max(1, mayBegin.filter(Boolean).length)
  return { count, place: mayBegin.slice(0, index).filter(Boolean).length }
}

interface Change {
  readonly before: Limits
  readonly now: Limits
}

/** Returns the pending child runs, each with its share of the change to the parent's limits, recursively. */
export function raiseLimits(run: RunState, now: Limits): Record<number, ChildRun> {
  const waiting = Object.entries(run.children ?? {})
  const change = { before: run.limits, now }
  const before = withNew(run, change)
  const entries = waiting.map(([index, child], place): [string, ChildRun] => {
    const { state } = child
    const among = { count: waiting.length, place }
    const limits = withShare(withNew(state, change), { before, now }, among)
    const deeper = state.children && { children: raiseLimits(state, limits) }
    return [index, { ...child, state: { ...state, limits, ...deeper } }]
  })
  return Object.fromEntries(entries)
}

/** Returns the run's limits. A newly set limit starts from what has been used so far. */
function withNew(run: RunState, { before, now }: Change): Limits {
  const usage = usedIn(run)
  const calls = new Map(Object.entries(usage.perTool))
  const bounds = amounts.filter((name) => before[name] === undefined && now[name] !== undefined)
  const tools = Object.keys(now.perTool ?? {}).filter((name) => !Object.hasOwn(before.perTool ?? {}, name))
  return {
    ...run.limits,
    ...Object.fromEntries(bounds.map((name) => [name, used(name, usage)])),
    perTool: {
      ...run.limits.perTool,
      ...Object.fromEntries(tools.map((name) => [name, calls.get(name) ?? 0])),
    },
  }
}

/** The usage of a run, with the calls of its open step and its pending child runs. */
function usedIn(run: RunState): Usage {
  const answers = Object.values(run.results)
  const spent = answers.flatMap((one) => one.spent ?? []).reduce(withSpending, run.usage)
  const waiting = Object.values(run.children ?? {}).map((child) => usedIn(child.state))
  const all = [...answers.flatMap(({ usage }) => usage ?? []), ...waiting].reduce(withUsage, spent)
  return { ...all, toolCalls: all.toolCalls + openCalls(run).length }
}

function withShare(own: Limits, { before, now }: Change, among: LimitSharers): Limits {
  const bounds = amounts.map((name) => {
    // Time passes for all child runs at once.
    const part = (by: number) => (name === 'seconds' ? by : splitLimit(by, isWhole(name), among))
    return [name, bound(own[name], { before: before[name], now: now[name] }, part)]
  })
  const perTool = ofTools(own.perTool, { before, now }, among)
  const all = { ...own, ...Object.fromEntries(bounds), perTool }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function ofTools(
  own: Limits['perTool'] = {},
  { before, now }: Change,
  among: LimitSharers,
): Limits['perTool'] {
  if (!now.perTool) return undefined
  const [were, are] = [new Map(Object.entries(before.perTool ?? {})), Object.entries(now.perTool)]
  const mine = new Map(Object.entries(own))
  const bounds = are.map(([name, bounded]) => [
    name,
    bound(mine.get(name), { before: were.get(name), now: bounded }, (by) => splitLimit(by, true, among)),
  ])
  return Object.fromEntries(bounds)
}

interface Bounds {
  readonly before: number | undefined
  readonly now: number | undefined
}

function bound(
  own: number | undefined,
  { before, now }: Bounds,
  part: (by: number) => number,
): number | undefined {
  if (now === before) return own
  if (now === undefined) return undefined
  // An unknown cost leaves nothing.
  return Math.max(0, (own ?? 0) + part(now - (before ?? 0))) || 0
}

/** Limits that a run shares with its child runs. */
const amounts = [
  'toolCalls',
  'tokens',
  'seconds',
  'images',
  'audioSeconds',
  'artifacts',
  'artifactBytes',
  'cost',
] as const
type Amount = (typeof amounts)[number]

/** The number of child runs that share a limit, and the place of one, from 0. */
interface LimitSharers {
  readonly count: number
  readonly place: number
}

/** The used amount of a limit. An unknown cost counts as everything. */
function used(name: Amount, usage: Usage): number {
  const amount = name === 'tokens' ? usage.totalTokens : usage[name]
  return amount === 'unknown' ? Number.POSITIVE_INFINITY : (amount ?? 0)
}

function isWhole(name: Amount): boolean {
  return limitKinds[name] === 'whole'
}

/** One child's share of an amount. Shares are equal; of whole numbers the first ones get the remainder. */
function splitLimit(amount: number, whole: boolean, { count, place }: LimitSharers): number {
  return whole ? Math.floor((amount + count - 1 - place) / count) : amount / count
}
