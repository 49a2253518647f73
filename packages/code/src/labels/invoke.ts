import type { AnyNode } from 'acorn'
import { anObject, aPart, type Cell } from './cells.js'
import { type Args, type At, type Callable, type Flow, labelsOf, native, type ToolSite } from './flow.js'
import { invokeFunction } from './functions.js'
import { Unclear } from './unclear.js'

export interface Invoked {
  readonly called: Cell
  readonly args: Args
  readonly self?: Cell | undefined
  readonly at: At
}

/** Analyses a call to a function, and returns its result. @throws Unclear for a function whose name is not known */
export function invoke(
  node: AnyNode,
  callable: Callable,
  { called, args, self, at }: Invoked,
  flow: Flow,
): Cell {
  const { graph } = flow
  switch (callable.kind) {
    case 'function':
      return invokeFunction(callable, args, self, at, flow)
    case 'tool':
      return invokeTool(callable, args, at, flow)
    case 'class':
      return callable.self
    case 'random': {
      graph.follow(at.pc, flow.random)
      if (flow.isConcurrent) graph.follow(flow.timing, flow.random)
      return flow.random
    }
    case 'pure': {
      const result = flow.cell(node, 'pure')
      for (const one of listed(args)) graph.followAll(one, result)
      return result
    }
    case 'native':
      return engineCall(node, [called, ...listed(args), ...(self ? [self] : [])], at, flow)
    case 'unknown':
      throw new Unclear('a call by a computed name')
  }
}

export function listed({ cells, more }: Args): readonly Cell[] {
  return more ? [...cells, more] : cells
}

/** Analyses a call to a tool. The result also depends on the arguments. */
function invokeTool(site: ToolSite, args: Args, at: At, flow: Flow): Cell {
  const { graph } = flow
  const [first] = listed(args)
  if (first) graph.copy(first, site.args)
  graph.follow(at.pc, site.pc)
  flow.waits(at)
  const { all } = graph.object(site.result)
  graph.add(site.result, labelsOf(site))
  graph.add(all, labelsOf(site))
  graph.add(graph.shapeOf(site.result).rest, aPart)
  graph.copy(flow.data, graph.shapeOf(site.result).rest)
  if (first) {
    graph.followAll(first, site.result)
    graph.followAll(first, all)
  }
  return site.result
}

/**
 * Analyses a call to a built-in function that may do anything with its arguments. All their values are joined, and
 * functions among them may be called with any value.
 */
export function engineCall(node: AnyNode, given: readonly Cell[], at: At, flow: Flow): Cell {
  const { graph } = flow
  const result = flow.cell(node, 'engine')
  graph.collapse(graph.object(result))
  const shape = () => graph.shapeOf(result)
  for (const one of given) {
    graph.followAll(one, shape().all)
    if (one.labels & anObject) graph.unify(graph.shapeOf(one), shape())
  }
  flow.mark(shape().all, at)
  graph.follow(shape().all, result)
  flow.addCallable(result, native)
  const here = flow.under(node, at, [result], 'callback')
  const args = { cells: [result, result, result], more: result }
  for (const callable of [...shape().callables] as Callable[]) {
    if (callable.kind === 'function') {
      flow.checkThis(callable)
      graph.copy(invokeFunction(callable, args, result, here, flow), shape().rest)
      // The built-in function may turn an error of the callback into a value.
      graph.follow(callable.heard, shape().all)
    } else if (callable.kind === 'class') {
      // `Array.of.call(A)` makes an object of the class.
      invokeFunction(callable.fields, { cells: [] }, callable.self, here, flow)
      if (callable.construct)
        graph.copy(invokeFunction(callable.construct, args, callable.self, here, flow), shape().rest)
    } else if (callable.kind === 'tool') graph.copy(invokeTool(callable, args, here, flow), shape().rest)
    else if (callable.kind === 'random') graph.copy(flow.random, shape().rest)
  }
  return result
}
