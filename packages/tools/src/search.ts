import { type AnyTool, CapstanError } from '@capstan/core'
import { checkOptionNames, notATool } from '@capstan/core/internal'
import { callName, type DeferredTools, findName } from './search/catalog.js'
import { toolSearch } from './search/tool-search.js'

/** How the model finds and calls deferred tools. */
export interface DeferredOptions {
  /**
   * The name under which the model finds the tools, such as `github`. All `deferred` values with the same name form one
   * group. Default `tools`.
   */
  readonly group?: string
  /**
   * How the model calls a tool that it has found. With `list`, later requests contain the tool after all other tools.
   * With `call`, the model calls it through `call_tool`, with the parameters from the search result. Requests then
   * always contain the same tools, so that servers can cache them. Default `list`.
   */
  readonly by?: 'list' | 'call'
  /** The maximum number of tools in a search result, from 1 to 20. Default 5. */
  readonly max?: number
}

/**
 * Keeps tools out of an agent's requests until the model searches for them with `find_tools({ query })`. Add the
 * returned value to the agent's `tools`. An agent can have several such values. Approvals, policies, limits, results
 * and types are the same as without `deferred`.
 * @throws CapstanError `invalid_tool` for an empty array, two tools with the same name, a hosted tool, or a value that
 * is not a tool; `invalid_request` for an invalid option
 */
export function deferred<const Tools extends readonly AnyTool[]>(
  tools: Tools,
  options: DeferredOptions = {},
): Tools[number] {
  checkTools(tools)
  checkOptionNames(options, optionKinds, { of: 'deferred' })
  const { group = 'tools', by = 'list', max = 5 } = options
  const made: DeferredTools = {
    ...{ settings: {}, middleware: toolSearch, group, by, max },
    members: Object.freeze([...tools]),
  }
  // Before an agent reads any other field, it replaces this value with its `members`.
  return made as unknown as Tools[number]
}

const optionKinds = {
  group: ['1 to 40 letters, digits, spaces, "_", "." and "-"', isGroup],
  by: ['"list" or "call"', (value: unknown) => value === 'list' || value === 'call'],
  max: ['a whole number from 1 to 20', isMax],
} as const

function isGroup(value: unknown): boolean {
  return typeof value === 'string' && /^[\p{L}\p{N}_.-][\p{L}\p{N} _.-]{0,39}$/u.test(value)
}

function isMax(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 20
}

/** @throws CapstanError `invalid_tool` for an empty array, a duplicate name, or a value that cannot be deferred */
function checkTools(tools: unknown): void {
  if (!Array.isArray(tools) || tools.length === 0) {
    const what = Array.isArray(tools) ? 'got no tools' : 'needs an array of tools'
    throw new CapstanError(
      'invalid_tool',
      `deferred ${what}. Pass an array of one or more tools: deferred([tool]).`,
    )
  }
  const names = new Set<string>([findName, callName])
  for (const one of tools) {
    const { members, hosted } = Object(one) as Partial<AnyTool>
    if (members) {
      const found = hosted ? 'hosted tool' : 'list of deferred tools'
      const message = `deferred cannot contain a ${found}. Pass it to the agent directly.`
      throw new CapstanError('invalid_tool', message)
    }
    if (!one?.definition) throw notATool(one)
    const { name } = one as AnyTool
    if (names.has(name)) {
      const message = `Duplicate tool name "${name}". Rename one.`
      throw new CapstanError('invalid_tool', message, { evidence: { name } })
    }
    names.add(name)
  }
}
