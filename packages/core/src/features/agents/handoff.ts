import { type Agent, type AnyAgent, coreOf } from '../../agent.js'
import { CapstanError } from '../../errors.js'
import type { Json } from '../../json.js'
import { checkOptionNames, kindOf } from '../../option-names.js'
import type { Middleware, Tool } from '../../run/middleware.js'
import { withAgent } from '../../run/reachable-agents.js'
import type { HandoffRules, RunContext } from '../../run/run-context.js'
import { jsonSchema } from '../../tools/json-schema.js'
import { errorResult } from '../../tools/rejections.js'
import { type ContextOf, tool } from '../../tools/tool.js'
import type { ToolContext } from '../../tools/tool-options.js'
import type { Message } from '../../types/message.js'
import { type CallResult, currentStep, openCalls } from '../../types/state.js'

export interface HandoffOptions<Name extends string, Context = unknown> {
  /** Default `transfer_to_` and the agent's name. */
  readonly name?: Name
  /** The condition for a handoff, for the model. Default: a sentence with the agent's name. */
  readonly description?: string
  /** Called when the conversation is handed over, and awaited. An error that it throws keeps it with the agent. */
  onHandoff?(ctx: ToolContext<Context>): unknown
  /**
   * Returns the part of the conversation so far that the requests from now on contain. Results, states and sessions
   * have all of it. A pure function; a call that it keeps must keep its result. Default: all messages.
   */
  filterHistory?(messages: readonly Message[]): readonly Message[]
}

/** Requires the context that the tools of the other agent and `onHandoff` require. */
export type HandoffTool<Name extends string, To, Context = unknown> = Tool<{
  name: Name
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: string
  context: (To extends Agent<infer Tools, infer _Output> ? ContextOf<Tools> : unknown) & Context
}>

/**
 * Creates a tool that hands the conversation to another agent: its model, instructions and tools apply for the rest
 * of the run. The limits of the run stay. Pass the name of an agent of the run to hand back to it.
 * @throws CapstanError `invalid_tool` for an agent whose name is not a valid tool name, or an unknown option;
 * `invalid_request` for a value that is not an agent
 */
export function handoff<
  const Name extends string = string,
  To extends AnyAgent | string = string,
  Context = unknown,
>(agent: To, options: HandoffOptions<Name, Context> = {}): HandoffTool<Name, To, Context> {
  const core = typeof agent === 'string' ? undefined : coreOf(agent)
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
      return `${to} goes on with the conversation.`
    },
  })
  const filter = filterHistory && { filterHistory, middleware: handedHistory }
  // The context of the other agent's tools must be there after the handoff; only the types check it.
  const isDynamic = name === undefined
  const transfer = { ...made, isDynamic, handoff: to, handoffRules, ...filter } as unknown
  const typed = transfer as HandoffTool<Name, To, Context>
  return core ? withAgent(typed, core) : typed
}

/** One of several handoffs of a reply is followed. */
export const handoffRules: HandoffRules = {
  refused({ state, toolset, parts }) {
    const refused = new Map<number, CallResult>()
    let first: string | undefined
    for (const [index, call] of openCalls(state).entries()) {
      const to = toolset.get(call.function.name)?.handoff
      if (to === undefined) continue
      const known = state.results[index]
      if (known) first ??= known.status === 'ok' ? to : undefined
      else if (!parts.agents.has(to))
        refused.set(index, errorResult('error', `this run knows no agent "${to}".`))
      else if (first !== undefined)
        refused.set(index, errorResult('not_run', `the conversation goes to one agent alone, "${first}".`))
      else first = to
    }
    return refused
  },
  follow(results, { state, parts, toolset }) {
    const done = results.filter(({ status }) => status === 'ok')
    const to = done.map(({ name }) => toolset.get(name)?.handoff).find((agent) => agent !== undefined)
    if (to === undefined) return
    state.agent = to
    // Flags about the tools of the previous agent.
    const { toolForced: _, rejections: __, ...flags } = state.flags
    state.flags = flags
    parts.emit?.({ type: 'handed-off', step: currentStep(state), to })
  },
}

type Filter = NonNullable<HandoffOptions<string>['filterHistory']>

/** A handoff whose tool filters the history: the tool of an agent, and the number of messages before the next agent. */
interface Handed {
  readonly agent: string
  readonly tool: string
  readonly at: number
}

const name = 'handoff-history'

/** Filters the history of requests after handoffs. The filters apply one after the other, each to what the agent has read. */
const handedHistory: Middleware = {
  name,
  beforeModel({ messages }, run: RunContext) {
    const handed = run.kept[name] as unknown as readonly Handed[] | undefined
    if (!handed) return undefined
    const last = shown.get(run)
    const before = last?.handed === handed ? last.messages : filtered(messages, handed, run)
    shown.set(run, { handed, messages: before })
    return { messages: [...before, ...messages.slice(handed.at(-1)?.at)] }
  },
  afterStep(results, run: RunContext) {
    const to = results.find(({ name, status }) => status === 'ok' && run.toolset.get(name)?.handoff)
    if (!to || !filterOf(run.agent, to.name, run)) return undefined
    const handed = (run.kept[name] ?? []) as unknown as readonly Handed[]
    // The results of the step follow.
    const at = run.messages.length + results.length
    return { state: [...handed, { agent: run.agent, tool: to.name, at }] as unknown as Json }
  },
}

/** The filtered history of runs in progress: the same messages in each request, so that they are serialized once. */
const shown = new WeakMap<
  RunContext,
  { readonly handed: readonly Handed[]; readonly messages: readonly Message[] }
>()

function filtered(
  messages: readonly Message[],
  handed: readonly Handed[],
  run: RunContext,
): readonly Message[] {
  let read: readonly Message[] = []
  let from = 0
  for (const { agent, tool: name, at } of handed) {
    const all = [...read, ...messages.slice(from, at)]
    const filter = filterOf(agent, name, run)
    const kept: unknown = filter ? filter(all) : all
    if (!Array.isArray(kept)) throw noList(name, kept)
    read = kept
    from = at
  }
  return read
}

/** Returns the filter of a tool. An agent that changed since may have it no more. */
function filterOf(agent: string, name: string, { parts }: RunContext): Filter | undefined {
  const found = parts.agents.has(agent) && parts.settingsOf(agent).toolset.get(name)
  return found ? (found as { readonly filterHistory?: Filter }).filterHistory : undefined
}

function noList(name: string, kept: unknown): CapstanError {
  const message = `filterHistory of "${name}" returned ${kindOf(kept)}. Return the list of messages to keep.`
  return new CapstanError('invalid_request', message, { evidence: { name } })
}
