import {
  Agent,
  type AnyAgent,
  type AnyRunResult,
  type AnyTool,
  type ArtifactStore,
  CapstanError,
  type ChatModel,
  type Run,
  type RunOptions,
  type ToolSettings,
} from '@capstan/core'
import type { Tool as Listing } from '@modelcontextprotocol/server'
import type { Served } from './options.js'

/** Something that clients can call. */
export interface Offer {
  readonly listing: Listing
  /** Where what it makes is. */
  readonly artifacts: ArtifactStore
  /** Each call is a run of its own. */
  start(args: Readonly<Record<string, unknown>>, options: StartOptions): Run<AnyRunResult>
  /** What the client is told of a run that has ended. */
  tell(result: AnyRunResult): Told
}

export type StartOptions = RunOptions<never>

export interface Told {
  readonly text: string
  readonly isError: boolean
  /** What it brought, where that is more than words. */
  readonly value?: unknown
}

/** What is served, by name. @throws CapstanError `invalid_tool` for two of one name, or a tool without a function */
export function toOffers(served: Served, artifacts: ArtifactStore): ReadonlyMap<string, Offer> {
  const offers = new Map<string, Offer>()
  for (const one of 'run' in served ? [served] : served) {
    const offer = 'run' in one ? ofAgent(one) : ofTool(one, artifacts)
    const { name } = offer.listing
    if (offers.has(name))
      throw new CapstanError('invalid_tool', `Two things to serve are named "${name}". Rename one.`, {
        evidence: { name },
      })
    offers.set(name, offer)
  }
  return offers
}

function ofAgent(agent: AnyAgent): Offer {
  const name = `ask_${agent.name.replace(/[^a-zA-Z0-9_-]+/g, '_')}`.slice(0, 64)
  const inputSchema = {
    type: 'object' as const,
    properties: { input: { type: 'string', description: 'What it is to do, in words' } },
    required: ['input'],
  }
  return {
    listing: { name, description: `Ask ${agent.name}, an agent.`, inputSchema },
    artifacts: agent.artifacts.store,
    start({ input }, options) {
      if (typeof input === 'string' && input.trim() !== '') return agent.stream(input, options)
      throw new CapstanError(
        'invalid_arguments',
        `"${name}" takes { "input": "what it is to do, in words" }.`,
      )
    },
    tell({ stopReason, text, limit, refusal, state }) {
      if (stopReason === 'done' || (stopReason === 'condition' && text !== ''))
        return { text, isError: false, value: state.output }
      const why = `The agent stopped before it was done (${limit ?? stopReason}).`
      return { text: [why, refusal ?? text].filter((part) => part !== '').join('\n'), isError: true }
    },
  }
}

/** A call of a tool is a run in which that call is all there is: deadlines, approvals, slots and progress are as in any run. */
function ofTool(tool: AnyTool, artifacts: ArtifactStore): Offer {
  const { name } = tool
  if ((!tool.execute && !tool.child) || tool.handoff) {
    const message = `"${name}" has no function that answers: a client's call of it would have no result. Give it execute.`
    throw new CapstanError('invalid_tool', message, { evidence: { name } })
  }
  const { description, parameters } = tool.definition.function
  // The agent behind a tool is known by the tool itself, not by a copy.
  const direct = tool.child ? tool : { ...tool, settings: toDirect(tool.settings) }
  const agent = new Agent({
    name: caller,
    model: oneCall(name, {}),
    tools: [direct],
    stopWhen: () => true,
    landing: false,
    artifacts,
  })
  return {
    listing: { name, description, inputSchema: parameters as Listing['inputSchema'] },
    artifacts,
    start: (args, options) =>
      (agent as unknown as AnyAgent).stream(name, {
        ...options,
        model: (own, agent) => (agent === caller ? oneCall(name, args) : own),
      }),
    tell({ toolCalls: [call] }) {
      const { content = 'The call did not run.', status, result } = call ?? {}
      return { text: content, isError: status !== 'ok', value: result }
    },
  }
}

/** A client gets a result whole: what its model reads of it is the client's concern. */
function toDirect({ maxResultBytes: _, ...settings }: ToolSettings): ToolSettings {
  return { ...settings, returnDirect: true }
}

/** No agent of a user's has this name. */
const caller = 'client of the server'

/** A model that makes one call. */
function oneCall(name: string, args: Readonly<Record<string, unknown>>): ChatModel {
  const call = {
    id: 'call_1',
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }
  return {
    name: 'client',
    complete: async () => ({
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finishReason: 'tool_calls',
    }),
  }
}
