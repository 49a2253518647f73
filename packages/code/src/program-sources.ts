// Where the arguments of a program's calls come from, for policies and for people.

import { type CallSource, type CallSources, type Middleware, type RunView, verdict } from '@capstan/core'
import { callsOf, tryJson } from '@capstan/core/internal'
import { keptIn, type Origin, programOf, sitesIn } from './kept.js'
import type { Analysis } from './labels/analysis.js'

type Judge = NonNullable<Middleware['beforeTool']>
type PolicyCall = Parameters<Judge>[0]

/**
 * Returns a middleware's hook for judging calls, adapted to programs: it gets the sources of calls, and its reasons
 * name them.
 */
export function withSources(middleware: Middleware): Judge {
  const { name } = middleware
  return async (call, run) => {
    const judge: Judge = (given, view) => middleware.beforeTool?.(given, view)
    const sources = await sourcesOf(call, run)
    if (name === 'taint-tracking' && keptIn(run)?.taint === 'values')
      return judgeValues(call, run, sources, judge)
    const judged = await judge(sources ? { ...call, sources } : call, run)
    return judged?.type === 'ask' && sources ? verdict.ask(join(judged.reason, sources)) : judged
  }
}

/** Requires the approval that a tool itself needs, and names the sources. */
export const judgeTool: Judge = async (call, run) => {
  const needed = run.toolset.get(call.name)?.settings.needsApproval
  if (!needed || !keptIn(run)) return undefined
  const isNeeded = typeof needed === 'function' ? await needed(call.arguments, run) : needed
  const sources = isNeeded && (await sourcesOf(call, run))
  return sources ? verdict.ask(join(`"${call.name}" needs approval.`, sources)) : undefined
}

/** Adds the sources to a reason, if there are any besides the program itself. */
function join(reason: string | undefined, sources: CallSources): string | undefined {
  const { arguments: given, branch, unclear } = sources
  const hasNone = Object.values(given).every(({ length }) => length === 0)
  if (hasNone && branch.length === 0 && unclear === undefined) return reason
  return `${reason ?? ''} ${describe(sources)}`.trim()
}

/**
 * Requires an approval for a call that may change something, if untrusted text decided an argument or whether the call
 * is made.
 */
function judgeValues(
  call: PolicyCall,
  run: RunView,
  sources: CallSources | undefined,
  judge: Judge,
): ReturnType<Judge> {
  const { taintedBy, origins = [] } = keptIn(run) ?? {}
  // The program was written by a model that had read untrusted text, or something else than a call brought it.
  const isCoarse = taintedBy !== undefined || !origins.some((one) => one.taintedBy !== undefined)
  if (isCoarse || !sources || run.taintedBy === undefined) return judge(call, run)
  const all = [...Object.values(sources.arguments).flat(), ...sources.branch]
  return all.some(({ untrusted }) => untrusted) ? judgeWith(call, run, sources, judge) : undefined
}

async function judgeWith(call: PolicyCall, run: RunView, sources: CallSources, judge: Judge) {
  const judged = await judge({ ...call, sources }, run)
  return judged?.type === 'ask' ? verdict.ask(join(judged.reason, sources)) : judged
}

/** Returns the sources of a program's call. Undefined for other calls. */
async function sourcesOf({ callId }: PolicyCall, run: RunView): Promise<CallSources | undefined> {
  const program = programOf(run)
  const open = run.openCalls.find(({ call }) => call.id === callId)
  if (!program || !open) return undefined
  const { origins, source } = program
  const site = sitesIn(run)[open.index] ?? -1
  // Loaded with the first call of a program.
  const { loadAnalysis } = await import('./labels/analysis.js')
  const analysis = (await loadAnalysis())(source)
  const given = tryJson(open.call.function.arguments)
  return sourcesAt({ site, analysis, given, calls: new Calls(run, origins) })
}

/** The calls of a program that have ended. */
class Calls {
  readonly #calls: readonly (Origin & { readonly id: string; readonly name: string })[]
  readonly #known = new Map<string, readonly CallSource[]>()

  constructor({ messages }: RunView, origins: readonly Origin[]) {
    const made = messages.flatMap(callsOf)
    this.#calls = origins.flatMap((origin, at) => {
      const call = made[at]
      return call ? { ...origin, id: call.id, name: call.function.name } : []
    })
  }

  /** Returns the calls at some places, or all of them, grouped by tool. */
  at(sites: readonly number[] | 'all'): readonly CallSource[] {
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

/** Maximum parts of arguments to describe. Nobody reads more. */
const mostParts = 1000

function sourcesAt({ site, analysis, given, calls }: Call): CallSources {
  const parts = partsOf(given)
  const unclear =
    'unclear' in analysis
      ? analysis.unclear
      : site < 0
        ? 'a call from elsewhere'
        : parts.length > mostParts
          ? 'arguments of many parts'
          : undefined
  const found: Record<string, readonly CallSource[]> = {}
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
  /** The names of the parts, if it is an object or array. */
  readonly names: readonly string[] | undefined
}

/** Returns all parts of a value, including nested ones. */
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
function describe({ arguments: given, branch, unclear }: CallSources): string {
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

function named({ tool, callIds, untrusted }: CallSource): string {
  const ids = callIds.length > 2 ? `${callIds.length} calls` : callIds.join(', ')
  return `${tool} (${ids}${untrusted ? ', not trusted' : ''})`
}
