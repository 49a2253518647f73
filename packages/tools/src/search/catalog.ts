import { type AnyTool, jsonSchema, type Tool, ToolError, tool } from '@capstan/core'
import { firstSentence, type SearchIndex, searchIndex } from './search-index.js'
import { stem, wordsOf } from './words.js'

/** The name of the tool that finds deferred tools. */
export const findName = 'find_tools'
/** The name of the tool that calls deferred tools with `by: 'call'`. */
export const callName = 'call_tool'

/** The value that `deferred` returns, in the form in which an agent's `tools` contains it. */
export interface DeferredTools extends Pick<AnyTool, 'settings' | 'middleware'> {
  readonly members: readonly Tool[]
  readonly group: string
  readonly by: 'list' | 'call'
  readonly max: number
}

/** A deferred tool, and the `deferred` value that contains it. */
interface Member {
  readonly tool: Tool
  readonly list: DeferredTools
}

/** The result of `find_tools`. */
export interface FoundTools {
  readonly names: readonly string[]
  /** The text for the model. */
  readonly text: string
}

/** An agent's deferred tools, and the tools that requests contain instead of them. */
export class Catalog {
  readonly #members: ReadonlyMap<string, Member>
  readonly #groups: ReadonlyMap<string, readonly Tool[]>
  #index: SearchIndex | undefined
  /** The tools that requests contain instead: `find_tools` and, if needed, `call_tool`. */
  readonly tools: readonly Tool[]
  /** Whether any of the tools is called through `call_tool`. */
  readonly hasCall: boolean

  constructor(lists: readonly DeferredTools[]) {
    this.#members = new Map(
      lists.flatMap((list) => list.members.map((one) => [one.name, { tool: one, list }] as const)),
    )
    const groups = new Map<string, readonly Tool[]>()
    for (const { group, members } of lists) groups.set(group, [...(groups.get(group) ?? []), ...members])
    this.#groups = groups
    this.hasCall = lists.some(({ by }) => by === 'call')
    this.tools = this.hasCall ? [this.#toFindTools(), callTool] : [this.#toFindTools()]
  }

  has(name: string): boolean {
    return this.#members.has(name)
  }

  /** Whether requests contain a tool after the model has found it (`by: 'list'`). */
  isListed(name: string): boolean {
    return this.#members.get(name)?.list.by === 'list'
  }

  /** Whether the model may call a deferred tool in response to a request whose tools are named in `offered`. */
  mayCall(name: string, offered: readonly string[]): boolean {
    return this.has(name) && offered.includes(this.isListed(name) ? findName : callName)
  }

  #toFindTools(): Tool {
    const made = tool({
      name: findName,
      description: `Find more tools. Describe in a few words what you want to do.${howToCall(this.hasCall)} Available:\n${this.#describeGroups(880)}`,
      parameters: findParameters,
      effects: 'read',
      execute: ({ query }, { context }) => this.#find(query, context),
      toModel: ({ text }) => text,
    })
    return { ...made, isDynamic: true } as unknown as Tool
  }

  #find(query: string, context: unknown): FoundTools {
    this.#index ??= searchIndex([...this.#members.values()].map((one) => one.tool))
    const found = this.#withinMax(this.#index.find(query))
    const names = found.map((one) => one.tool.name)
    if (found.length === 0)
      return {
        names,
        text: `No tool matches this query. Try another. Available:\n${this.#describeGroups(2000)}`,
      }
    const listed = found.filter(({ list }) => list.by === 'list')
    const called = found.filter(({ list }) => list.by === 'call')
    const parts = [
      ...(listed.length > 0
        ? ['You can call these tools from now on:', ...listed.map((one) => toLine(one, context))]
        : []),
      ...(called.length > 0
        ? [
            `Call these with ${callName}({ name, arguments }):`,
            ...called.map((one) => toSchemaLine(one, context)),
          ]
        : []),
    ]
    return { names, text: parts.join('\n') }
  }

  /**
   * Returns the best matches. Each `deferred` value contributes at most its `max`, and the total is at most the largest
   * `max`.
   */
  #withinMax(names: readonly string[]): readonly Member[] {
    const counts = new Map<DeferredTools, number>()
    const found = names.flatMap((name): Member[] => {
      const one = this.#members.get(name)
      if (!one) return []
      const count = (counts.get(one.list) ?? 0) + 1
      counts.set(one.list, count)
      return count > one.list.max ? [] : [one]
    })
    return found.slice(0, Math.max(...found.map(({ list }) => list.max)))
  }

  /**
   * Returns a line for each group: its name, the number of its tools, and the most common words in their names. If
   * `maxBytes` is too small for all groups, the rest are only counted.
   */
  #describeGroups(maxBytes: number): string {
    const share = Math.floor(maxBytes / this.#groups.size)
    const lines: string[] = []
    let left = maxBytes
    for (const [group, tools] of this.#groups) {
      const line = describeGroup(group, tools, share)
      left -= bytesOf(line) + 1
      if (left < 0) return `${lines.join('\n')}\n- and ${this.#groups.size - lines.length} more groups`
      lines.push(line)
    }
    return lines.join('\n')
  }
}

function describeGroup(group: string, tools: readonly Tool[], maxBytes: number): string {
  const start = `- ${group}: ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
  let line = start
  let words = ''
  for (const word of commonest(tools)) {
    words += words ? `, ${word}` : word
    const longer = `${start} (${words})`
    // The line break needs one byte too.
    if (bytesOf(longer) >= maxBytes) break
    line = longer
  }
  return line
}

const bytesOf = (text: string) => new TextEncoder().encode(text).byteLength

/** Returns the most common words in tool names, each in the form in which it first occurred. */
function commonest(tools: readonly Tool[]): readonly string[] {
  const counts = new Map<string, { readonly word: string; count: number }>()
  for (const { name } of tools)
    for (const word of new Set(wordsOf(name))) {
      // A number without letters says nothing about a group.
      if (!/\p{L}/u.test(word)) continue
      const known = counts.get(stem(word)) ?? { word, count: 0 }
      known.count += 1
      counts.set(stem(word), known)
    }
  const most = [...counts.values()].sort((one, other) => other.count - one.count)
  return most.slice(0, 24).map(({ word }) => word)
}

function howToCall(hasCall: boolean): string {
  return hasCall ? ` The result shows how to call them.` : ' You can call them in your next step.'
}

const findParameters = jsonSchema<{ readonly query: string }>({
  type: 'object',
  properties: { query: { type: 'string', description: 'What the tool does, or its name' } },
  required: ['query'],
})

/** Maximum characters of a description to show in search results. The tool's definition contains the rest. */
const mostShown = 300

function toLine({ tool }: Member, context: unknown): string {
  const first = firstSentence(descriptionOf(tool, context))
  const shown = first.length > mostShown ? `${first.slice(0, mostShown).toWellFormed()}...` : first
  return shown ? `- ${tool.name}: ${shown}` : `- ${tool.name}`
}

function toSchemaLine({ tool }: Member, context: unknown): string {
  const text = descriptionOf(tool, context).replace(/\s+/g, ' ')
  return `- ${tool.name}: ${text}\n  arguments: ${JSON.stringify(tool.definition.function.parameters)}`
}

function descriptionOf({ definition, describe }: Tool, context: unknown): string {
  return describe ? describe(context) : (definition.function.description ?? '')
}

/**
 * The tool `call_tool`. It never runs, because `unwrapCalls` first replaces each of its calls with a call to the tool
 * that the arguments name.
 */
const callTool = {
  ...tool({
    name: callName,
    description: `Call a tool that ${findName} has found.`,
    parameters: jsonSchema({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool' },
        arguments: { type: 'object', description: 'Its arguments' },
      },
      required: ['name', 'arguments'],
    }),
    effects: 'read',
    execute() {
      throw new ToolError(`No tool ran. Call ${callName} with the name of a tool and its arguments as JSON.`)
    },
  }),
  isDynamic: true,
} as unknown as Tool

/** Returns the catalog of an agent's deferred tools. Undefined if the agent has none. */
export function catalogOf(given: readonly AnyTool[]): Catalog | undefined {
  const known = catalogs.get(given)
  if (known !== undefined) return known ?? undefined
  const lists = (given as readonly unknown[]).filter(isDeferred)
  const made = lists.length > 0 ? new Catalog(lists) : undefined
  catalogs.set(given, made ?? null)
  return made
}

/** Catalogs by an agent's array of tools. `null` if no tool is deferred. */
const catalogs = new WeakMap<readonly AnyTool[], Catalog | null>()

function isDeferred(one: unknown): one is DeferredTools {
  const { members, group } = Object(one) as Partial<DeferredTools>
  return members !== undefined && group !== undefined
}
