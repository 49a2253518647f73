import { type AnyTool, CapstanError } from '@capstan/core'
import { checkOptionNames, notATool } from '@capstan/core/internal'
import { callName, type DeferredTools, findName } from './search/catalog.js'
import { toolSearch } from './search/tool-search.js'

/** Options of `deferred(...)`. */
export interface DeferredOptions {
  /**
   * The name of these tools for the model, such as `github`. Lists with the same name are one group. Default `tools`.
   */
  readonly group?: string
  /**
   * How the model calls a found tool. `list`: later requests offer it, after all other tools. `call`: the model gets
   * its parameters and calls `call_tool`; the list of tools never changes, so that servers keep it in their caches.
   * Default `list`.
   */
  readonly by?: 'list' | 'call'
  /** The most tools that one search returns, from 1 to 20. Default 5. */
  readonly max?: number
}

/**
 * Returns a value for the `tools` of an agent that represents all of these tools, and keeps them out of its requests. The
 * model finds them with `find_tools({ query })`. Approvals, policies, limits, results and their types are those of the
 * tools themselves. An agent may have several such values.
 * @throws CapstanError `invalid_tool` for an empty list, two tools of one name, and a value that is not a tool or whose
 * calls the server runs; `invalid_request` for an invalid option
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
  // An agent takes its `members` in its place, before it reads anything else of it.
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

/** @throws CapstanError `invalid_tool` */
function checkTools(tools: unknown): void {
  if (!Array.isArray(tools) || tools.length === 0) {
    const what = Array.isArray(tools) ? 'has no tools' : 'needs an array of tools'
    throw new CapstanError(
      'invalid_tool',
      `deferred ${what}. Pass it an array of one or more: deferred([tool]).`,
    )
  }
  const names = new Set<string>([findName, callName])
  for (const one of tools) {
    const { members, hosted } = Object(one) as Partial<AnyTool>
    if (members) {
      const found = hosted ? 'tool that the server runs' : 'list of deferred tools'
      const message = `deferred contains a ${found}. Pass it to the agent itself.`
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
