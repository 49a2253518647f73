// Finds where the arguments of a program's calls come from, for policies and for the people who approve calls.

import { type ArgumentSources, type Middleware, type RunView, type ValueSource, verdict } from '@capstan/core'
import { callsOf, tryJson } from '@capstan/core/internal'
import { type EndedCall, keptIn, programOf, sitesIn } from './kept.js'
import type { Analysis } from './labels/analysis.js'

type Judge = NonNullable<Middleware['beforeTool']>
type PolicyCall = Parameters<Judge>[0]

/**
 * Extends a middleware's `beforeTool` for programs. The extended hook gets the sources of a call, and names them in its
 * reasons.
 */
export function withSources(middleware: Middleware): Judge {
  const { name } = middleware
  const judge: Judge = (given, view) => middleware.beforeTool?.(given, view)
  return async (call, run) => {
    if (!keptIn(run)) return judge(call, run)
    if (name === 'taint-tracking') return judgeTaint(call, run, judge)
    const sources = await findSources(call, run)
    // Computed only when they are read, because most policies do not read them.
    const given = Object.defineProperty({ ...call }, 'sources', { get: sources, enumerable: true })
    return withReason(await judge(given, run), sources)
  }
}

/** Asks for approval if a tool's `needsApproval` requires it. The reason names the call's sources. */
export const judgeTool: Judge = async (call, run) => {
  const needed = run.toolset.get(call.name)?.settings.needsApproval
  if (!needed || !keptIn(run)) return undefined
  const isNeeded = typeof needed === 'function' ? await needed(call.arguments, run) : needed
  if (!isNeeded) return undefined
  return withReason(verdict.ask(`"${call.name}" needs approval.`), await findSources(call, run))
}

/** Adds a call's sources to the reason for an approval. Returns other verdicts unchanged. */
function withReason(judged: Awaited<ReturnType<Judge>>, sources: FoundSources): typeof judged {
  const found = judged?.type === 'ask' && sources()
  return found ? verdict.ask(join(judged.reason, found)) : judged
}

/** Adds sources to a reason, unless the program itself is the only source. */
function join(reason: string | undefined, sources: ArgumentSources): string | undefined {
  const { arguments: given, branch, unclear } = sources
  const hasNone = Object.values(given).every(({ length }) => length === 0)
  if (hasNone && branch.length === 0 && unclear === undefined) return reason
  return `${reason ?? ''} ${describe(sources)}`.trim()
}

/**
 * Asks for approval of a call that can change data, as in any run that has read untrusted text. With `taint: 'values'`,
 * asks only if the call's arguments, or the conditions under which it is made, depend on such text.
 */
async function judgeTaint(call: PolicyCall, run: RunView, judge: Judge): Promise<Awaited<ReturnType<Judge>>> {
  // Avoids the analysis for a program that has read no untrusted text.
  if (run.taintedBy === undefined) return judge(call, run)
  const { taint, taintedBy, ended = [] } = keptIn(run) ?? {}
  const isPrecise = taint === 'values' && taintedBy === undefined
  // If no call's result was untrusted, the text came from somewhere else, and the analysis cannot help.
  if (isPrecise && ended.some((one) => one.taintedBy !== undefined)) {
    const found = (await findSources(call, run))()
    const all = found ? [...Object.values(found.arguments).flat(), ...found.branch] : []
    if (found && !all.some(({ untrusted }) => untrusted)) return undefined
  }
  const judged = await judge(call, run)
  return judged?.type === 'ask' ? withReason(judged, await findSources(call, run)) : judged
}

/**
 * Returns the sources of a call that the program made, and undefined for any other call. The program is analysed when
 * this function is called for the first time.
 */
type FoundSources = () => ArgumentSources | undefined

/** Returns a function that finds the sources of a program's call. Nothing is analysed until that function is called. */
async function findSources({ callId }: PolicyCall, run: RunView): Promise<FoundSources> {
  const program = programOf(run)
  const open = run.openCalls.find(({ call }) => call.id === callId)
  if (!program || !open) return () => undefined
  const { ended, source } = program
  const site = sitesIn(run)[open.index] ?? -1
  const given = tryJson(open.call.function.arguments)
  // Loaded only when the first call is judged.
  const { loadAnalysis } = await import('./labels/analysis.js')
  const analyse = await loadAnalysis()
  let found: ArgumentSources | undefined
  return () => {
    found ??= sourcesAt({ site, analysis: analyse(source), given, calls: new Calls(run, ended) })
    return found
  }
}

/** A program's calls that have ended. */
class Calls {
  readonly #calls: readonly (Pick<EndedCall, 'site' | 'taintedBy'> & {
    readonly id: string
    readonly name: string
  })[]
  readonly #known = new Map<string, readonly ValueSource[]>()

  constructor({ messages }: RunView, ended: readonly EndedCall[]) {
    const made = messages.flatMap(callsOf)
    this.#calls = ended.flatMap(({ site, taintedBy }, at) => {
      const call = made[at]
      const own = { site, ...(taintedBy !== undefined && { taintedBy }) }
      return call ? { ...own, id: call.id, name: call.function.name } : []
    })
  }

  /**
   * Returns the calls at these positions, or all calls, grouped by tool. Always includes calls with an unknown
   * position.
   */
  at(sites: readonly number[] | 'all'): readonly ValueSource[] {
    const key = String(sites)
    const known = this.#known.get(key)
    if (known) return known
    const byTool = new Map<string, { tool: string; callIds: string[]; untrusted: boolean }>()
    for (const { site, id, name, taintedBy } of this.#calls) {
      if (sites !== 'all' && !sites.includes(site) && site >= 0) continue
      const found = byTool.get(name) ?? { tool: name, callIds: [], untrusted: false }
      byTool.set(name, found)
      found.callIds.push(id)
      found.untrusted ||= taintedBy !== undefined
    }
    const sources = [...byTool.values()]
    this.#known.set(key, sources)
    return sources
  }
}

interface Call {
  readonly site: number
  readonly analysis: Analysis
  readonly given: unknown
  readonly calls: Calls
}

/** The maximum number of argument parts to describe. Nobody would read more. */
const mostParts = 1000

function sourcesAt({ site, analysis, given, calls }: Call): ArgumentSources {
  const parts = partsOf(given)
  const unclear =
    'unclear' in analysis
      ? analysis.unclear
      : site < 0
        ? 'a call from elsewhere'
        : parts.length > mostParts
          ? 'arguments with too many parts'
          : undefined
  const found: Record<string, readonly ValueSource[]> = {}
  if (unclear !== undefined || 'unclear' in analysis) {
    const all = calls.at('all')
    for (const { path, isLeaf } of parts) if (isLeaf) found[nameOf(path)] = all
    return { arguments: found, branch: all, unclear: unclear ?? '' }
  }
  for (const { path, isLeaf, names } of parts) {
    const sources = calls.at(analysis.argument(site, path, names))
    if (isLeaf || sources.length > 0) found[nameOf(path)] = sources
  }
  return { arguments: found, branch: calls.at(analysis.branch(site)) }
}

interface Part {
  readonly path: readonly string[]
  readonly isLeaf: boolean
  /** The names of the value's own parts, if the value is an object or array. */
  readonly names: readonly string[] | undefined
}

/** Returns all parts of a value, at any depth. */
function partsOf(value: unknown, path: readonly string[] = [], parts: Part[] = []): readonly Part[] {
  if (parts.length > mostParts) return parts
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : undefined
  parts.push({ path, isLeaf: !inner, names: inner?.map(([name]) => name) })
  for (const [name, one] of inner ?? []) partsOf(one, [...path, name], parts)
  return parts
}

function nameOf(path: readonly string[]): string {
  return path.reduce(
    (all, name) => (/^\d+$/.test(name) ? `${all}[${name}]` : all === '' ? name : `${all}.${name}`),
    '',
  )
}

/** Describes where a call's arguments come from. */
function describe({ arguments: given, branch, unclear }: ArgumentSources): string {
  const byText = new Map<string, string[]>()
  for (const [path, sources] of Object.entries(given)) {
    const text = sources.map(named).join(', ') || 'the program'
    byText.set(text, [...(byText.get(text) ?? []), path])
  }
  const parts = [...byText].map(([text, found]) => {
    const own = found.filter((path) => path !== '')
    const paths = own.length > 0 ? own : ['its fields']
    const more = paths.length > 4 ? ` and ${paths.length - 4} more` : ''
    return `${paths.slice(0, 4).join(', ')}${more} from ${text}`
  })
  const condition = branch.length > 0 ? [`made on a condition from ${branch.map(named).join(', ')}`] : []
  const why = unclear === undefined ? [] : [`not followed: ${unclear}`]
  return `Sources: ${[...parts, ...condition, ...why].join('; ')}.`
}

function named({ tool, callIds, untrusted }: ValueSource): string {
  const ids = callIds.length > 2 ? `${callIds.length} calls` : callIds.join(', ')
  return `${tool} (${ids}${untrusted ? ', not trusted' : ''})`
}
