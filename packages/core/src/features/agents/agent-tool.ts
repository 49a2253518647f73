import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Agent, type AnyAgent, coreOf } from '../../agent.js'
import { type ChildCode, type InnerAgent, readState, toEmit, toRunParts } from '../../agent-core.js'
import { messageOf } from '../../errors.js'
import type { Jsonified } from '../../json.js'
import { toLimits } from '../../limits.js'
import { checkOptionNames, type OptionKind } from '../../option-names.js'
import { memoryHost } from '../../run/memory-host.js'
import type { Tool } from '../../run/middleware.js'
import { definitionHashOf, withAgent } from '../../run/reachable-agents.js'
import { RunContext } from '../../run/run-context.js'
import { runToEnd } from '../../run/run-to-end.js'
import { createState, firstUserMessage } from '../../run/start.js'
import { withoutCredentials } from '../../secrets/secrets.js'
import { ownParameters } from '../../tools/json-schema-lite.js'
import { type ContextOf, tool } from '../../tools/tool.js'
import type { ToolContext, ToolSettings } from '../../tools/tool-options.js'
import { type Emit, withFields, withHidden } from '../../types/event.js'
import type { HostContext } from '../../types/host.js'
import type { Limits, RunState } from '../../types/state.js'
import { childRuns } from './child-runs.js'

/** Options of `agentTool`. */
export interface AgentToolOptions<
  Name extends string,
  Parameters extends StandardSchemaV1 | undefined = undefined,
  Output extends StandardSchemaV1 | undefined = undefined,
> extends Pick<
    ToolSettings<Record<string, unknown>>,
    'needsApproval' | 'untrusted' | 'returnDirect' | 'maxResultBytes'
  > {
  /** Types calls in `result.toolCalls`. Default: the agent's name; its calls are then `dynamic`. */
  readonly name?: Name
  /** The agent's purpose and when to call it. Default: a sentence with its name. */
  readonly description?: string
  /** `'read'` declares that the agent changes nothing. Default: unknown. */
  readonly effects?: 'read'
  /**
   * The schema of the tool's arguments. The agent reads them as JSON, or as `toInput` writes them. Default: one text,
   * `input`.
   */
  readonly parameters?: Parameters
  /** Writes the input of the agent for the arguments of a call. Default: a text as it is, other arguments as JSON. */
  toInput?(args: ArgsOf<Parameters>): string
  /** The schema of the result, in place of the agent's own `output`. Default: that one, else the last text. */
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

/** An agent as a tool: a call of it is a child run, whose output or last text is the result. */
export type AgentTool<Name extends string, To, Parameters = undefined, Output = undefined> = Tool<{
  name: Name
  input: InputOf<Parameters>
  args: ArgsOf<Parameters>
  result: ResultOf<To, Output>
  context: To extends Agent<infer Tools, infer _Output> ? ContextOf<Tools> : unknown
}>

/**
 * Returns a tool that runs an agent as a child run. The parent run shares its limits, and receives the usage,
 * artifacts, events and pending calls of the child. @throws CapstanError `invalid_tool` for an invalid tool name
 */
export function agentTool<
  To extends AnyAgent,
  const Name extends string = string,
  Parameters extends StandardSchemaV1 | undefined = undefined,
  Output extends StandardSchemaV1 | undefined = undefined,
>(
  agent: To,
  options: AgentToolOptions<Name, Parameters, Output> = {},
): AgentTool<Name, To, Parameters, Output> {
  const own = coreOf(agent)
  checkOptionNames(options, optionKinds, { of: `The tool of agent "${agent.name}"`, code: 'invalid_tool' })
  const { name, description = `Ask ${agent.name}, another agent.`, parameters, output, ...rest } = options
  const { toInput = inputOf, ...settings } = rest as { toInput?(args: unknown): string } & ToolSettings
  const runner: AnyAgent = output ? (agent as unknown as Agent).with({ output }) : agent
  const made = tool({
    name: name ?? agent.name,
    description,
    parameters: parameters ?? oneText,
    ...settings,
    async execute(args, { context, signal, idempotencyKey: runId }: ToolContext) {
      const result = await runner.run(toInput(args), { context, signal, runId })
      const isText = coreOf(runner).outputSchema === undefined
      if (isText && result.stopReason === 'condition' && result.text !== '') return result.text
      const done = result.orThrow()
      return done.output === undefined ? done.text : done.output
    },
  })
  const child = { agent: agent.name, toInput, runs: childRuns }
  const behind = output ? coreOf(runner) : own
  behind.childCode = childCode
  // The types follow from the options; the schema of one text cannot express its check.
  const ofAgent = { ...made, isDynamic: name === undefined, child } as unknown
  return withAgent(ofAgent as AgentTool<Name, To, Parameters, Output>, behind)
}

const optionKinds: Readonly<Record<keyof AgentToolOptions<string>, OptionKind>> = {
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
  properties: { input: { type: 'string', pattern: '\\S', description: 'What it is to do, in words' } },
  required: ['input'],
})

/** The text of `{ input }` alone, other arguments as JSON. */
function inputOf(args: unknown): string {
  const { input, ...others } = args as { readonly input?: unknown }
  return typeof input === 'string' && Object.keys(others).length === 0 ? input : JSON.stringify(args)
}

/** Starts child runs and runs them to their end. */
const childCode: ChildCode = {
  start: (agent, input, { runId, limits }) =>
    createState(input, {
      agent: agent.name,
      definitionHash: definitionHashOf(agent, agent.toolset),
      runId,
      limits: toLimits(agent.limits, tighter(agent.limits, limits)),
    }),
  proceed,
}

async function proceed(agent: InnerAgent, given: RunState, binding: HostContext): Promise<RunState> {
  const { agents, toolset, limits, observers, options } = agent
  // Limits raised for the parent run do not raise the limits of this agent.
  const further = toLimits(limits, tighter(limits, given.limits))
  const { allowChangedTools, prices } = binding
  // The decisions of the parent run. A run that begins needs no feature that reads states.
  const known = { decisions: given.decisions, allowChangedTools }
  const canRead = agent.features.some((one) => one.readState)
  const state = canRead
    ? readState(agent, given, { toolset, agents, limits: further, options: known })
    : given
  const inner = {
    ...binding,
    agents,
    emit: both(binding.emit, toEmit(given.runId, binding.silent ? [] : observers)),
    prices: options.price ?? prices,
  }
  const parts = toRunParts(agent, toolset, { ...inner, host: (inner.hostWithin ?? memoryHost)(inner) })
  try {
    const run = new RunContext(state, firstUserMessage(state), parts)
    return await runToEnd(run)
  } catch (error) {
    // The parent run sees a failed call.
    state.flags.failure = withoutCredentials(messageOf(error))
    return withHidden(state, 'error', error)
  }
}

/** Sends each event to both sinks as a copy: one stamps the run, the other the agent. */
function both(one: Emit, other: Emit): Emit {
  if (!one || !other) return one ?? other
  return (event) => {
    other(withFields(event, {}))
    one(event)
  }
}

/** The smaller of each two limits. */
function tighter(own: Limits, left: Limits): Limits {
  const { perTool, ...amounts } = left as Limits & Record<string, number | undefined>
  const smaller = (bounds: object, others: object) =>
    Object.entries(bounds).map(([name, bound]) => [
      name,
      Math.min(bound, new Map(Object.entries(others)).get(name) ?? bound),
    ])
  const inner = perTool && { ...own.perTool, ...Object.fromEntries(smaller(perTool, own.perTool ?? {})) }
  return { ...Object.fromEntries(smaller(amounts, own)), ...(inner ? { perTool: inner } : {}) }
}
