import { anObject, type Cell, kindCount, type Labels, type Shape, tooLarge } from './cells.js'
import { expression } from './expressions.js'
import { Flow } from './flow.js'
import { functionBody } from './functions.js'
import { loadParser, type Parse } from './parse.js'
import { statement } from './statements.js'
import { checkClear, Unclear } from './unclear.js'

/**
 * The result of an analysis: the tool calls that a program's values may come from. Each source is the index of the
 * occurrence of `tools` that makes such a call. `unclear` is the reason why the sources are not known.
 */
export type Analysis =
  | { readonly unclear: string }
  | {
      /**
       * Returns the sources of a part of a call's arguments. If the part is an object or array, pass the names of its
       * own parts as `parts` to include the sources that determine which parts it has.
       */
      argument(site: number, path: readonly string[], parts?: readonly string[]): readonly number[]
      /** Returns the sources that determine whether the call at a position is made. */
      branch(site: number): readonly number[]
    }

/** Loads the parser. Resolves to a function that analyses a source and caches the result. */
export async function loadAnalysis(): Promise<(source: string) => Analysis> {
  const parse = await loadParser()
  return (source) => {
    const made = known.get(source) ?? analyse(source, parse)
    known.delete(source)
    known.set(source, made)
    forgetOldest(source)
    return made.analysis
  }
}

interface Known {
  readonly analysis: Analysis
  /** The number of edges in the analysis's graph. */
  readonly edges: number
}

/** Cached analyses by source, the most recently used last. */
const known = new Map<string, Known>()
/** The maximum number of edges in all cached graphs together. That many edges take roughly 20 MB. */
const mostEdges = 200_000

/** Drops the least recently used analyses until the rest fit. Never drops the analysis of this source. */
function forgetOldest(source: string): void {
  let edges = 0
  for (const one of known.values()) edges += one.edges
  for (const [oldest, one] of known) {
    if (edges <= mostEdges || oldest === source) return
    known.delete(oldest)
    edges -= one.edges
  }
}

/** For tests: returns the number of edges in all cached graphs. */
export function keptEdges(): number {
  return [...known.values()].reduce((sum, { edges }) => sum + edges, 0)
}

/** Added to the number of edges of each analysis, because the cached source takes memory too. */
const noGraph = 1000

/** The maximum length of a source to analyse, in characters. The number of steps is limited separately. */
const mostCharacters = 20_000

function analyse(source: string, parse: Parse): Known {
  const toUnclear = (unclear: string): Known => ({ analysis: { unclear }, edges: noGraph })
  if (source.length > mostCharacters) return toUnclear(tooLarge)
  const program = parse(source)
  if (!program) return toUnclear('a source that does not parse')
  try {
    const flow = new Flow(program, { expression, statement })
    checkClear(program, flow.names)
    const top = flow.infoOf(program, flow.cell(program, 'self'), true)
    for (;;) {
      flow.graph.startPass()
      functionBody(top, flow)
      if (flow.graph.hasChanged) continue
      if (flow.isLate) break
      flow.isLate = true
    }
    flow.graph.spreadLabels()
    const analysis: Analysis = {
      argument(site, path, parts) {
        const args = flow.sites[site]?.args
        return args ? sitesIn(labelsAt(args, path, parts, flow)) : []
      },
      branch(site) {
        return sitesIn(flow.sites[site]?.pc.labels ?? 0n)
      },
    }
    return { analysis, edges: flow.graph.edges + noGraph }
  } catch (error) {
    if (error instanceof Unclear) return toUnclear(error.message)
    if (error instanceof RangeError) return toUnclear(tooLarge)
    throw error
  }
}

/** Returns the labels of a part of a value and of each value that contains the part. */
function labelsAt(
  value: Cell,
  path: readonly string[],
  parts: readonly string[] | undefined,
  { graph }: Flow,
): Labels {
  let labels = value.labels
  let cells: readonly Cell[] = [value]
  for (const name of path) {
    const next: Cell[] = []
    for (const cell of cells) {
      if (!(cell.labels & anObject)) continue
      const shape = graph.shapeOf(cell)
      labels |= shape.all.labels
      next.push(...partsNamed(shape, name))
    }
    cells = next
    for (const cell of cells) labels |= cell.labels
  }
  if (parts) for (const cell of cells) labels |= labelsOfParts(graph.shapeOf(cell), parts)
  return labels
}

/**
 * Returns the labels that determine which parts exist. Missing fields count too, because JSON omits undefined values.
 */
function labelsOfParts({ structure, all, fields, rest, spread }: Shape, parts: readonly string[]): Labels {
  const missing = [...fields].flatMap(([name, cell]) => (parts.includes(name) ? [] : [cell]))
  const isObject = parts.some((name) => !/^\d+$/.test(name)) || parts.length === 0
  const open = isObject ? [rest, spread] : []
  return [structure, all, ...missing, ...open].reduce((labels, cell) => labels | cell.labels, 0n)
}

function partsNamed({ fields, rest, spread, written }: Shape, name: string): readonly Cell[] {
  const field = fields.get(name)
  return [...(field ? [field] : []), rest, ...(written?.has(name) ? [] : [spread])]
}

function sitesIn(labels: Labels): readonly number[] {
  const sites: number[] = []
  for (let left = labels >> kindCount, site = 0; left > 0n; left >>= 1n, site++)
    if (left & 1n) sites.push(site)
  return sites
}
