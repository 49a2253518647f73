import { type CapstanError, invalidRequest } from '../../errors.js'
import type { Json } from '../../json.js'
import { checkOptionNames, kindOf } from '../../option-names.js'
import type { Middleware, RunView, Tool } from '../../run/middleware.js'
import { runnerOf } from '../../run/reachable-agents.js'
import { jsonSchema } from '../../tools/json-schema.js'
import { errorResult } from '../../tools/rejections.js'
import { type ContextOf, tool } from '../../tools/tool.js'
import type { ToolContext } from '../../tools/tool-options.js'
import type { Agent, AnyAgent } from '../../types/agent.js'
import type { Message } from '../../types/message.js'

export interface HandoffOptions<Name extends string, Context = unknown> {
  /** Default: `transfer_to_` followed by the agent's name. */
  readonly name?: Name
  /** Tells the model when to hand off. Default: a sentence with the agent's name. */
  readonly description?: string
  /** Called and awaited before the handoff. If it throws, the current agent keeps the conversation. */
  onHandoff?(ctx: ToolContext<Context>): unknown
  /**
   * Returns the earlier messages to include in later requests. Results, states and sessions keep all messages. Must be
   * pure; keep each call together with its result. Default: all messages.
   */
  filterHistory?(messages: readonly Message[]): readonly Message[]
}

/**
 * A tool that hands the conversation over. Its context type includes what the next agent's tools and `onHandoff`
 * require.
 */
export type HandoffTool<Name extends string, To, Context = unknown> = Tool<{
  name: Name
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: string
  context: (To extends Agent<infer Tools, infer _Output> ? ContextOf<Tools> : unknown) & Context
}>

/**
 * Creates a tool that hands the conversation to another agent, whose model, instructions and tools apply for the rest
 * of the run. The run's limits stay the same. To hand back, pass the name of an agent in the run.
 * @throws CapstanError `invalid_tool` for an agent whose name is not a valid tool name, or an unknown option;
 * `invalid_request` for a value that is not an agent
 */
export function handoff<
  const Name extends string = string,
  To extends AnyAgent | string = string,
  Context = unknown,
>(agent: To, options: HandoffOptions<Name, Context> = {}): HandoffTool<Name, To, Context> {
  const runner = typeof agent === 'string' ? undefined : runnerOf(agent)
  const to = typeof agent === 'string' ? agent : agent.name
  checkOptionNames(
    options,
    { name: true, description: true, onHandoff: 'a function', filterHistory: 'a function' },
    { of: `The handoff to "${to}"`, code: 'invalid_tool' },
  )
  const { name, description = `Hand the conversation over to ${to}.`, onHandoff, filterHistory } = options
  const made = tool({
    name: name ?? `transfer_to_${to}`,
    description,
    parameters: jsonSchema({ type: 'object', properties: {} }),
    effects: 'read',
    async execute(_, ctx: ToolContext<Context>) {
      await onHandoff?.(ctx)
      // Text for the model.
      return `${to} has taken over the conversation.`
    },
  })
  // The next agent's tools need their context after the handoff; only the types check that.
  const transfer = {
    ...made,
    isDynamic: name === undefined,
    middleware: handoffs,
    to,
    ...(filterHistory && { filterHistory }),
    ...(runner && { agent: runner }),
  } satisfies Handoff
  return transfer as unknown as HandoffTool<Name, To, Context>
}

type Filter = NonNullable<HandoffOptions<string>['filterHistory']>

/** A tool that hands the conversation over to the agent `to`. */
interface Handoff extends Tool {
  readonly to: string
  readonly filterHistory?: Filter
}

function handoffOf(name: string, { toolset }: Pick<RunView, 'toolset'>): Handoff | undefined {
  const found = toolset.get(name)
  return found && isHandoff(found) ? found : undefined
}

/** Whether a tool was created by `handoff`. */
function isHandoff(tool: Tool): tool is Handoff {
  return tool.middleware === handoffs && 'to' in tool
}

/**
 * A handoff with a history filter: the agent and tool that made it, and the number of messages before the next agent
 * took over.
 */
interface Handed {
  readonly agent: string
  readonly tool: string
  readonly at: number
}

const name = 'handoff'

/**
 * The middleware that all handoff tools share. If a reply contains several handoffs, only the first is followed.
 * History filters apply in order, each to the messages that the previous agent got.
 */
const handoffs: Middleware = {
  name,
  beforeModel({ messages }, run) {
    const handed = run.kept[name] as unknown as readonly Handed[] | undefined
    if (!handed) return undefined
    const last = shown.get(run)
    const before = last?.handed === handed ? last.messages : filtered(messages, handed, run)
    shown.set(run, { handed, messages: before })
    return { messages: [...before, ...messages.slice(handed.at(-1)?.at)] }
  },
  async wrapTool({ callId, tool }, next, run) {
    if (!isHandoff(tool)) return next()
    if (!run.agents.has(tool.to))
      return errorResult('error', `handoff failed: there is no agent "${tool.to}".`)
    const first = firstBefore(callId, run)
    if (first === undefined) return next()
    return errorResult('not_run', `only one handoff per reply is followed: "${first}".`)
  },
  afterStep(results, run) {
    const done = results.find(({ name, status }) => status === 'ok' && handoffOf(name, run))
    const tool = done && handoffOf(done.name, run)
    if (!tool) return undefined
    if (!tool.filterHistory) return { agent: tool.to }
    const handed = (run.kept[name] ?? []) as unknown as readonly Handed[]
    // The step's results are added after this.
    const at = run.messages.length + results.length
    const state = [...handed, { agent: run.agent, tool: tool.name, at }] as unknown as Json
    return { agent: tool.to, state }
  },
}

/**
 * Returns the target of the first handoff that precedes a call in the same reply. A handoff that failed in an earlier
 * host step does not count. Calls run concurrently, so the order in the reply counts, not the order in time.
 */
function firstBefore(callId: string, run: RunView): string | undefined {
  for (const { call, result } of run.openCalls) {
    if (call.id === callId) return undefined
    const to = handoffOf(call.function.name, run)?.to
    const mayFollow = result ? result.status === 'ok' : to !== undefined && run.agents.has(to)
    if (to !== undefined && mayFollow) return to
  }
  return undefined
}

/**
 * The filtered history of each run in progress. Each request gets the same message objects, so that each message is
 * serialized only once.
 */
const shown = new WeakMap<
  RunView,
  { readonly handed: readonly Handed[]; readonly messages: readonly Message[] }
>()

function filtered(messages: readonly Message[], handed: readonly Handed[], run: RunView): readonly Message[] {
  let read: readonly Message[] = []
  let from = 0
  for (const { agent, tool, at } of handed) {
    const all = [...read, ...messages.slice(from, at)]
    // If the agent has changed since, it may no longer have the tool.
    const owner = run.agents.get(agent)
    const filter = owner && handoffOf(tool, owner)?.filterHistory
    const kept: unknown = filter ? filter(all) : all
    if (!Array.isArray(kept)) throw noList(tool, kept)
    read = kept
    from = at
  }
  return read
}

function noList(name: string, kept: unknown): CapstanError {
  const message = `filterHistory of "${name}" returned ${kindOf(kept)}. Return the array of messages to keep.`
  return invalidRequest(message, { name })
}
