import { CapstanError } from '../errors.js'
import { isRecord, type Json } from '../json.js'
import type { Middleware, StepReply, StepRequest } from '../run/middleware.js'
import type { AnyTool, Tool } from '../tools/tool.js'
import type { HostedDefinition } from '../types/model.js'

/** A tool that the model's server runs. The agent never runs it. */
export type HostedTool = Tool<{ name: never; input: never; args: never; result: never; context: unknown }>

/**
 * Returns a tool that the model's server runs itself, such as web search. Add it to an agent's tools. Its definition is
 * sent unchanged, and the agent never runs its calls. A `middleware` event named `hosted-tools` and the step's
 * `response.hosted` report the calls; `result.sources` lists the sources that the reply cites. The results are
 * untrusted. If the model's protocol does not support hosted tools, the request fails with `unsupported`.
 * @throws CapstanError `invalid_tool` for a definition without a type, or for a function tool
 */
export function hosted(definition: HostedDefinition): HostedTool {
  const { type } = Object(definition) as Partial<HostedDefinition>
  if (!isRecord(definition) || typeof type !== 'string' || type === '' || type === 'function') {
    const message =
      'hosted({ type }) needs a type that the server supports, such as "web_search". Use tool({ ... }) for your own function.'
    throw new CapstanError('invalid_tool', message, { evidence: { type } })
  }
  const made: Pick<AnyTool, 'settings' | 'members' | 'hosted' | 'middleware'> = {
    settings: {},
    members: [],
    hosted: definition,
    middleware: hostedTools,
  }
  // An agent replaces this tool with its `members` before it reads any other field.
  return made as unknown as HostedTool
}

const name = 'hosted-tools'

/** The middleware that all hosted tools of a run share. */
const hostedTools: Middleware = {
  name,
  beforeModel({ model }, { tools }) {
    const definitions = tools.flatMap(({ hosted }) => hosted ?? [])
    if (definitions.length === 0) return undefined
    if (!model.hostedTools) throw hasNone(model, definitions)
    return { hostedTools: definitions }
  },
  afterModel({ hostedCalls = [], sources = [], ...reply }, _call, run): StepReply | undefined {
    if (hostedCalls.length + sources.length === 0) return undefined
    for (const call of hostedCalls) run.emit({ name, action: call.type, data: call as unknown as Json })
    const found = { calls: hostedCalls, sources } as unknown as Json
    return { ...reply, extra: { ...reply.extra, hosted: found } }
  },
}

function hasNone(
  { name: model }: StepRequest['model'],
  definitions: readonly HostedDefinition[],
): CapstanError {
  const types = definitions.map(({ type }) => type).join(', ')
  const message = `The model "${model}" cannot run hosted tools (${types}). Use responsesModel, messagesModel or aiSdkModel, for fallbacks too.`
  return new CapstanError('unsupported', message, { evidence: { model, types } })
}
