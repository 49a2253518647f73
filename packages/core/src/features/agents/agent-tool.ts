import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../../artifacts/artifact.js'
import { abortable } from '../../async.js'
import { CapstanError, forModel, messageOf } from '../../errors.js'
import type { Jsonified } from '../../json.js'
import { limitKinds, workSeconds } from '../../limits.js'
import { checkOptionNames, type OptionKind } from '../../option-names.js'
import type { Middleware, OpenCall, RunnerWithTools, RunView, Tool } from '../../run/middleware.js'
import { runnerOf } from '../../run/reachable-agents.js'
import { stepKey } from '../../run/step-keys.js'
import { cancelledResult, errorResult, hiddenFailure } from '../../tools/rejections.js'
import { shortenResult, toReference } from '../../tools/render-result.js'
import { type ContextOf, tool } from '../../tools/tool.js'
import type { ToolContext, ToolSettings } from '../../tools/tool-options.js'
import { ownParameters } from '../../tools/validate.js'
import type { Agent, AnyAgent } from '../../types/agent.js'
import type { ChildStep } from '../../types/host.js'
import { type ToolCall, textOf } from '../../types/message.js'
import {
  type CallResult,
  type Limits,
  type Outcome,
  openCalls,
  type RunState,
  type StoredChild,
} from '../../types/state.js'
import { addSpending, addUsage, copyOfUsage, type Usage } from '../../usage.js'

/** The tool's name, description, arguments and result, and the settings for its calls. */
export interface ChildToolOptions<
  Name extends string,
  Parameters extends StandardSchemaV1 | undefined = undefined,
  Output extends StandardSchemaV1 | undefined = undefined,
> extends Pick<
    ToolSettings<Record<string, unknown>>,
    'needsApproval' | 'untrusted' | 'returnDirect' | 'maxResultBytes'
  > {
  /** The tool's name. If set, its calls in `result.toolCalls` are typed, not `dynamic`. Default: the agent's name. */
  readonly name?: Name
  /** Tells the model what the agent is for and when to call it. Default: a sentence with the agent's name. */
  readonly description?: string
  /** `'read'` declares that the agent changes nothing. Default: unknown. */
  readonly effects?: 'read'
  /** The schema of the arguments, which the agent gets as JSON or through `toInput`. Default: one string, `input`. */
  readonly parameters?: Parameters
  /** Converts a call's arguments to the agent's input. Default: the string `input`, or all arguments as JSON. */
  toInput?(args: ArgsOf<Parameters>): string
  /** The schema of the result. Default: the agent's `output`; without one, the result is the agent's last text. */
  readonly output?: Output
}

type ArgsOf<Parameters> = Parameters extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Parameters>
  : { input: string }

type InputOf<Parameters> = Parameters extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Parameters>
  : { input: string }

type ResultOf<To, Output> = Output extends StandardSchemaV1
  ? Jsonified<StandardSchemaV1.InferOutput<Output>>
  : To extends Agent<infer _Tools, infer Own>
    ? Own extends StandardSchemaV1
      ? Jsonified<StandardSchemaV1.InferOutput<Own>>
      : string
    : unknown

/** An agent as a tool. Each call is a child run, and the child run's output or last text is the call's result. */
export type ChildTool<Name extends string, To, Parameters = undefined, Output = undefined> = Tool<{
  name: Name
  input: InputOf<Parameters>
  args: ArgsOf<Parameters>
  result: ResultOf<To, Output>
  context: To extends Agent<infer Tools, infer _Output> ? ContextOf<Tools> : unknown
}>

/**
 * Returns a tool that runs an agent as a child run. The parent run shares its limits with the child run, and receives
 * the child's usage, artifacts, events and pending calls.
 * @throws CapstanError `invalid_tool` for an invalid tool name
 */
export function agentTool<
  To extends AnyAgent,
  const Name extends string = string,
  Parameters extends StandardSchemaV1 | undefined = undefined,
  Output extends StandardSchemaV1 | undefined = undefined,
>(
  agent: To,
  options: ChildToolOptions<Name, Parameters, Output> = {},
): ChildTool<Name, To, Parameters, Output> {
  const given = runnerOf(agent)
  checkOptionNames(options, optionKinds, { of: `The tool of agent "${agent.name}"`, code: 'invalid_tool' })
  const {
    name,
    description = `Delegate a task to the agent ${agent.name}.`,
    parameters,
    output,
    ...rest
  } = options
  const { toInput = inputOf, ...settings } = rest as { toInput?(args: unknown): string } & ToolSettings
  const runner: AnyAgent = output ? agent.with({ output }) : agent
  const behind = output ? runnerOf(runner) : given
  const made = tool({
    name: name ?? agent.name,
    description,
    parameters: parameters ?? oneText,
    ...settings,
    async execute(args, { context, signal, idempotencyKey: runId }: ToolContext) {
      const result = await runner.run(toInput(args), { context, signal, runId })
      if (!behind.hasOutput && result.stopReason === 'condition' && result.text !== '') return result.text
      const done = result.orThrow()
      return done.output === undefined ? done.text : done.output
    },
  })
  const ofAgent = {
    ...made,
    isDynamic: name === undefined,
    agent: behind,
    middleware: childLimits,
    toInput(args) {
      const input: unknown = toInput(args)
      if (typeof input !== 'string' || input.trim() === '') throw noInput(made.name)
      return input
    },
    run: (open, run) => runChild(open, run, behind.name),
  } satisfies Tool
  // The types follow from the options; the type of `oneText` cannot express what it checks.
  return ofAgent as unknown as ChildTool<Name, To, Parameters, Output>
}

const optionKinds: Readonly<Record<keyof ChildToolOptions<string>, OptionKind>> = {
  name: true,
  description: true,
  parameters: true,
  toInput: 'a function',
  output: 'a schema: z.object({ ... })',
  effects: true,
  needsApproval: true,
  untrusted: true,
  returnDirect: true,
  maxResultBytes: true,
}

const oneText = ownParameters({
  type: 'object',
  properties: { input: { type: 'string', pattern: '\\S', description: 'The task, as text' } },
  required: ['input'],
})

function noInput(name: string): CapstanError {
  const message = `"${name}" received an empty task. Describe the task as text.`
  return forModel(new CapstanError('invalid_arguments', message, { evidence: { name } }))
}

/** Returns `input` if it is a string and the only argument, otherwise all arguments as JSON. */
function inputOf(args: unknown): string {
  const { input, ...others } = args as { readonly input?: unknown }
  return typeof input === 'string' && Object.keys(others).length === 0 ? input : JSON.stringify(args)
}

/** Returns the host step that starts a call's child run, or resumes it with decisions. */
function runChild(open: OpenCall, run: RunView, name: string): ChildStep<Outcome> | CallResult {
  const { index, call } = open
  const agent = run.agents.get(name)
  if (!agent) throw new CapstanError('not_found', `This run has no agent "${name}".`, { evidence: { name } })
  const { step, runId, signal } = run
  if (open.child && signal.aborted) return stopped(open.child)
  const { state, round, notes } = open.child ?? begin(open, agent, run)
  return {
    key: stepKey(step, round === 0 ? `child${index}` : `child${index}.${round}`),
    child: { agent: name, state, callId: call.id },
    settle: (end) => {
      if (end.stopReason === 'pending') return { status: 'paused', state: end }
      const idempotencyKey = `${runId}/${stepKey(step, `child${index}`)}`
      const result = toResult(end, { idempotencyKey, needsOutput: agent.hasOutput, shown: run.toolErrors })
      return truncated({ ...result, ...notes }, call, run)
    },
  }
}

/** Creates a call's child run, within what remains of the parent's limits. */
function begin({ index, input = '', notes }: OpenCall, agent: RunnerWithTools, run: RunView): StoredChild {
  const begun = agent.start(input, {
    runId: run.callKey(index, 'child'),
    limits: remainingLimits(index, run),
  })
  // The child run's input was written by a model that has read untrusted text.
  const { taintedBy } = run
  const state = taintedBy === undefined ? begun : { ...begun, taintedBy }
  return { state, round: 0, ...(notes && { notes }) }
}

/** Returns the result of a stopped child run. The child run's usage still counts. */
function stopped({ state, notes }: StoredChild): CallResult {
  return { ...cancelledResult, ...leftBehind(state), ...notes }
}

interface ResultOptions {
  readonly idempotencyKey: string
  /** Whether the child run must return `output`. If so, the child run's text is not a result. */
  readonly needsOutput: boolean
  readonly shown: RunView['toolErrors']
}

/** Converts a finished child run to a tool result. */
function toResult(state: RunState, { idempotencyKey, needsOutput, shown }: ResultOptions): CallResult {
  if (state.stopReason === 'aborted') return stopped({ state, round: 0 })
  const { artifacts = [], flags } = state
  if (flags.failure !== undefined && shown === 'expected')
    return { ...hiddenFailure(`agent "${state.agent}" failed`, idempotencyKey), ...leftBehind(state) }
  const text = childMessage(state)
  const made = artifacts.map((artifact) => JSON.stringify(toReference(artifact)))
  const content = [text, ...made].filter((line) => line !== '').join('\n')
  const isOver = state.stopReason === 'done' || state.stopReason === 'condition'
  const result = state.output === undefined && !needsOutput ? text : state.output
  if (isOver && content !== '' && result !== undefined)
    return { status: 'ok', content, result, ...leftBehind(state), ms: 0 }
  const end =
    state.stopReason === 'done' ? 'no answer' : (flags.failure ?? state.limit ?? String(state.stopReason))
  const why = `agent "${state.agent}" did not finish: ${end}.`
  const words = content === '' ? why : `${why} Its last text: ${content}`
  return { ...errorResult('error', words), ...leftBehind(state) }
}

/** Returns the child run's output or last text, or its last results if a stop condition ended it without text. */
function childMessage({ output, messages, stopReason }: RunState): string {
  if (output !== undefined) return typeof output === 'string' ? output : JSON.stringify(output)
  const texts = messages.flatMap((one) => (one.role === 'assistant' ? [textOf(one.content)] : []))
  const text = texts.findLast((one) => one.trim() !== '')
  if (text !== undefined || stopReason !== 'condition') return text ?? ''
  const asked = messages.findLastIndex(({ role }) => role === 'assistant')
  const brought = messages.slice(asked + 1).flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return brought.join('\n')
}

/** Returns the artifacts, usage and taint that a parent run takes over from a child run. */
function leftBehind({ artifacts = [], usage, taintedBy }: RunState) {
  return {
    artifacts,
    usage,
    ...(taintedBy !== undefined && { taintedBy }),
  }
}

/** Shortens a child run's text to the tool's `maxResultBytes`. Stores the full text as an artifact. */
async function truncated(result: CallResult, call: ToolCall, run: RunView): Promise<CallResult> {
  const { artifacts, signal, toolset, runId } = run
  const { name } = call.function
  const settings = toolset.get(name)?.settings ?? {}
  const { taintedBy } = result
  const origin = { tool: name, callId: call.id, runId, ...(taintedBy && { taintedBy }) }
  const store: Pick<ArtifactStore, 'put'> = {
    put: (data, info) => abortable(signal, artifacts.put(data, info)),
  }
  try {
    return await shortenResult(result, settings, () => ({ store, origin }))
  } catch (error) {
    // The usage counts even if the text cannot be stored.
    const { result: _, ...rest } = result
    return { ...rest, status: 'error', content: `Error: ${messageOf(error)}` }
  }
}

/** When a run resumes with changed limits, gives its pending child runs their shares of the change. */
const childLimits: Middleware = {
  name: 'child-limits',
  onResume(state, { limits }) {
    if (!state.children) return state
    return { ...state, children: raiseLimits({ ...state, limits }, state.limits) }
  },
}

/**
 * Returns a child run's limits: its share of what remains of the parent run's limits. Child runs in the same step get
 * equal shares; the first child runs get the remainder. The shares of pending child runs stay reserved, so that all
 * child runs together stay within every limit.
 */
export function remainingLimits(index: number, run: RunView): Limits {
  const { limits, openCalls: calls } = run
  const { usage } = run.limiter()
  const waiting = calls.flatMap(({ child }) => child?.state ?? [])
  const among = sharersOf(index, run)
  const left: [string, unknown][] = amounts.flatMap((name) => {
    const bound = limits[name]
    if (bound === undefined) return []
    const kept = waiting.reduce(
      (sum, one) => sum + Math.max(0, (one.limits[name] ?? 0) - used(name, one.usage)),
      0,
    )
    const open = name === 'toolCalls' ? calls.length : 0
    // Child runs run at the same time, so each gets all the time, minus some for the final answer.
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

function sharersOf(index: number, { openCalls: calls, toolset }: RunView): LimitSharers {
  const mayBegin = calls.filter(
    ({ call, result, child }) => !result && !child && toolset.get(call.function.name)?.toInput !== undefined,
  )
  const place = mayBegin.filter((one) => one.index < index).length
  return { count: Math.max(1, mayBegin.length), place }
}

interface Change {
  readonly before: Limits
  readonly now: Limits
}

/** Returns the pending child runs, at every depth, each with its share of the change to the parent's limits. */
export function raiseLimits(run: RunState, now: Limits): Record<number, StoredChild> {
  const waiting = Object.entries(run.children ?? {})
  const change = { before: run.limits, now }
  const before = withNew(run, change)
  const entries = waiting.map(([index, child], place): [string, StoredChild] => {
    const { state } = child
    const among = { count: waiting.length, place }
    const limits = withShare(withNew(state, change), { before, now }, among)
    const deeper = state.children && { children: raiseLimits(state, limits) }
    return [index, { ...child, state: { ...state, limits, ...deeper } }]
  })
  return Object.fromEntries(entries)
}

/** Returns the run's limits. Each newly set limit starts at the amount that has been used so far. */
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

/** Returns a run's usage, including the calls of its open step and its pending child runs. */
function usedIn(run: RunState): Usage {
  const sum = copyOfUsage(run.usage)
  for (const { spent = [], usage } of Object.values(run.results)) {
    addSpending(sum, spent)
    if (usage) addUsage(sum, usage)
  }
  for (const child of Object.values(run.children ?? {})) addUsage(sum, usedIn(child.state))
  sum.toolCalls += openCalls(run).length
  return sum
}

function withShare(own: Limits, { before, now }: Change, among: LimitSharers): Limits {
  const bounds = amounts.map((name) => {
    // Child runs run at the same time, so a change in seconds is not split.
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
  // If the cost is unknown, this is NaN, and nothing is left.
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

/** How many child runs share a limit, and this child run's position among them, starting at 0. */
interface LimitSharers {
  readonly count: number
  readonly place: number
}

/** Returns how much of a limit has been used. Infinity if the cost is unknown. */
function used(name: Amount, usage: Usage): number {
  const amount = name === 'tokens' ? usage.totalTokens : usage[name]
  return amount === 'unknown' ? Infinity : (amount ?? 0)
}

function isWhole(name: Amount): boolean {
  return limitKinds[name] === 'whole'
}

/** Returns one child's share of an amount. Shares are equal or, if `whole`, whole numbers that differ by at most 1. */
function splitLimit(amount: number, whole: boolean, { count, place }: LimitSharers): number {
  return whole ? Math.floor((amount + count - 1 - place) / count) : amount / count
}
