import {
  type CallRecord,
  CapstanError,
  type FeatureEvent,
  type Json,
  type Message,
  type Middleware,
  type RunView,
  type StepReply,
  type StepRequest,
  type ToolDefinition,
  type Toolset,
} from '@capstan/core'
import { type Catalog, callName, catalogOf, type FoundTools, findName } from './catalog.js'
import { maxQuery } from './search-index.js'
import { unwrapCalls, withoutWrapped } from './unwrap-calls.js'

const name = 'tool-search'

/** The state that runs store: the names of the tools that were revealed to each agent, in order. */
interface Kept {
  readonly revealed: Readonly<Record<string, readonly string[]>>
}

/**
 * The middleware for all deferred tools in a run. It chooses which of them each request contains, and unwraps calls to
 * `call_tool`. The tools themselves belong to the agent.
 */
export const toolSearch: Middleware = {
  name,
  toolNames: [findName, callName],
  tools({ tools, toolset }) {
    const catalog = catalogOf(tools)
    if (!catalog) return []
    for (const one of catalog.tools) checkFree(one.name, toolset)
    return catalog.tools
  },
  beforeRun(run) {
    // In a session, the messages show which tools earlier runs have found.
    if (run.kept[name] !== undefined) return undefined
    const found = namesIn(run.messages)
    const revealed: Record<string, readonly string[]> = {}
    for (const [agent, { givenTools }] of found.length > 0 ? run.agents : []) {
      const own = found.filter((one) => catalogOf(givenTools)?.has(one))
      if (own.length > 0) revealed[agent] = own
    }
    return Object.keys(revealed).length > 0 ? { state: { revealed } } : undefined
  },
  beforeStep(run) {
    // Reveals the tools that are needed by skills that the model has read. The middleware `skills` stores their names.
    const { tools = [] } = Object(run.kept.skills) as { readonly tools?: readonly string[] }
    const catalog = catalogOf(run.tools)
    const names = catalog ? unknownOf(tools, run, catalog) : []
    return names.length > 0
      ? { state: withRevealed(names, run), events: [{ type: 'tools-revealed', names }] }
      : undefined
  },
  beforeModel(call, run): Partial<StepRequest> | undefined {
    const catalog = catalogOf(run.tools)
    if (!catalog) return undefined
    const { sink } = call
    return { ...offerOf(call, run, catalog), ...(catalog.hasCall && sink && { sink: withoutWrapped(sink) }) }
  },
  afterModel(reply, { tools }, run): StepReply | undefined {
    const catalog = catalogOf(run.tools)
    if (!catalog) return undefined
    const unwrapped = catalog.hasCall ? unwrapCalls(reply) : reply
    // A hook that ran after this one may have added deferred tools to the request.
    const names = unknownOf(tools.map(nameOf), run, catalog)
    if (names.length === 0) return unwrapped
    run.emit({ type: 'tools-revealed', names })
    return { ...unwrapped, kept: { ...unwrapped.kept, [name]: withRevealed(names, run) } }
  },
  afterStep(results, run) {
    const catalog = catalogOf(run.tools)
    if (!catalog) return undefined
    const fresh: string[] = []
    const events: FeatureEvent[] = []
    for (const call of results) {
      const isSearch = call.name === findName
      const found = isSearch ? foundBy(call) : [call.name]
      const names = unknownOf(found, run, catalog).filter((one) => !fresh.includes(one))
      if (names.length === 0) continue
      fresh.push(...names)
      events.push({ type: 'tools-revealed', names, ...(isSearch && { query: queryOf(call) }) })
    }
    return fresh.length > 0 ? { state: withRevealed(fresh, run), events } : undefined
  },
}

/** @throws CapstanError `invalid_tool` if the agent has another tool with this name */
function checkFree(tool: string, { get }: Toolset): void {
  if (!get(tool)) return
  const message = `Duplicate tool name "${tool}". Rename your tool: deferred tools need this name.`
  throw new CapstanError('invalid_tool', message, { evidence: { name: tool } })
}

/** Returns the revealed tools of all agents, unchecked: a stored state may contain anything here. */
function keptOf({ kept }: RunView): Partial<Kept['revealed']> {
  return Object(Object(kept[name]).revealed)
}

const none: readonly string[] = []

/** Returns the tools revealed to the current agent. The array stays the same until more tools are revealed. */
function revealedIn(run: RunView): readonly string[] {
  const own = keptOf(run)[run.agent]
  return Array.isArray(own) ? own : none
}

/** Returns the names of deferred tools that have not been revealed to the current agent. */
function unknownOf(names: readonly string[], run: RunView, catalog: Catalog): readonly string[] {
  const revealed = revealedIn(run)
  return names.filter((one) => catalog.has(one) && !revealed.includes(one))
}

function withRevealed(names: readonly string[], run: RunView): Json {
  return { revealed: { ...keptOf(run), [run.agent]: [...revealedIn(run), ...names] } } as Json
}

function foundBy({ result }: CallRecord): readonly string[] {
  const { names } = Object(result) as Partial<FoundTools>
  return Array.isArray(names) ? names.filter((one) => typeof one === 'string') : none
}

function queryOf({ arguments: args }: CallRecord): string {
  return String(Object(args).query ?? '').slice(0, maxQuery)
}

/** Returns the names of tools that were found by a search or called. */
function namesIn(messages: readonly Message[]): readonly string[] {
  const found = new Set<string>()
  const searches = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { id, function: called } of message.tool_calls ?? [])
        if (called.name === findName) searches.add(id)
        else found.add(called.name)
    if (message.role === 'tool' && searches.has(message.tool_call_id))
      for (const [, one = ''] of message.content.matchAll(/^- ([\w-]{1,64})(?=:|$)/gm)) found.add(one)
  }
  return [...found]
}

type Offer = Pick<StepRequest, 'tools' | 'toolset'>

/** Returns the tools that a request contains: first the tools that are not deferred, then revealed tools in order. */
function offerOf({ tools, toolset, toolChoice }: StepRequest, run: RunView, catalog: Catalog): Offer {
  const forced = typeof toolChoice === 'string' ? toolChoice : toolChoice.function.name
  const before = revealedIn(run)
  const revealed = unknownOf([forced], run, catalog).length > 0 ? [...before, forced] : before
  const last = offers.get(tools)
  if (last?.revealed === revealed) return last.offer
  // The request's definitions may contain descriptions that were written for this run's context.
  const byName = revealed.length > 0 ? new Map(tools.map((one) => [nameOf(one), one])) : undefined
  const isShown = (one: string) => one === forced || catalog.isListed(one)
  const shown = sameList(
    [
      ...tools.filter((one) => !catalog.has(nameOf(one))),
      ...revealed.flatMap((one) => (isShown(one) ? (byName?.get(one) ?? []) : [])),
    ],
    catalog,
  )
  const offer: Offer = {
    tools: shown,
    toolset: {
      ...toolset,
      tools: shown.flatMap((one) => toolset.get(nameOf(one)) ?? []),
      // A copy: if `tools` were the same array as `definitions`, core would assume that it contains all tools.
      definitions: [...shown],
      mayCall: (one, offered) => catalog.mayCall(one, offered),
    },
  }
  offers.set(tools, { revealed, offer })
  return offer
}

/** The last offer for each array of tools. Cached, because creating it for many tools is slow. */
const offers = new WeakMap<
  readonly ToolDefinition[],
  { readonly revealed: readonly string[]; readonly offer: Offer }
>()

/**
 * Returns an earlier array with the same tools, or `list` if there is none. Reusing the array saves work, because each
 * array is serialized only once.
 */
function sameList(list: readonly ToolDefinition[], catalog: Catalog): readonly ToolDefinition[] {
  const known = lists.get(catalog) ?? []
  const same = known.find((one) => one.length === list.length && one.every((tool, at) => tool === list[at]))
  if (!same) lists.set(catalog, [list, ...known].slice(0, 16))
  return same ?? list
}

const lists = new WeakMap<Catalog, readonly (readonly ToolDefinition[])[]>()

function nameOf({ function: { name: own } }: ToolDefinition): string {
  return own
}
