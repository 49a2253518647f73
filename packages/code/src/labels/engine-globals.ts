// Analyses functions of built-in objects, such as `Object.keys`.

import { anObject, type Cell } from './cells.js'
import { anything, type EngineCall, listOf, map, primitiveOf, slice } from './engine-methods.js'
import { type Args, type At, type Flow, random } from './flow.js'
import { invoke, listed } from './invoke.js'
import { followStructure, noFunction, readAny, readElements, readPart } from './members.js'
import { pureGlobals } from './unclear.js'

/** Analyses a call to a function of a built-in object. */
export function engineMember(call: EngineCall & { readonly global: string }, at: At, flow: Flow): Cell {
  const { global, name, node, args } = call
  const { graph } = flow
  const [first] = listed(args)
  if (global === 'console') return flow.cell(node, 'nothing')
  if (global === 'Math' && name === 'random')
    return invoke(node, random, { called: call.base, args, at }, flow)
  const isPure =
    global === 'Math' ||
    (pureGlobals.has(global) && name !== 'bind') ||
    (global === 'Array' && name === 'isArray') ||
    global === 'Date'
  const isShort = args.cells.length < 2 && !args.more
  if (isPure || (global === 'JSON' && name === 'stringify' && !hasCallables(args)))
    return primitiveOf(call, flow)
  if (global === 'Object') {
    if (first && ['assign', 'freeze', 'seal', 'preventExtensions'].includes(name)) flow.open(first)
    if ((name === 'freeze' || name === 'seal') && first) {
      const { all } = graph.shapeOf(first)
      graph.follow(first, all)
      flow.mark(all, at)
      return first
    }
    if (name === 'fromEntries' && first) {
      const result = anything(call, at, flow)
      noFunction(result, 'a function under a computed name', flow)
      return result
    }
    if (name === 'keys' || name === 'values' || name === 'entries') return partsOf(call, flow)
    if (name === 'is' || name === 'hasOwn') return primitiveOf(call, flow)
  }
  if (global === 'Promise') {
    if (name === 'all' && isShort && first) {
      readElements(first, flow.cell(node, 'taken'), at, flow)
      return promiseOf(call, first, flow)
    }
    if (name === 'resolve' && isShort) return promiseOf(call, first, flow)
    flow.waits(at)
    const result = anything(call, at, flow)
    graph.copy(flow.thrown, result)
    if (name === 'reject' || name === 'withResolvers') graph.copy(result, flow.thrown)
    if (name === 'reject') {
      flow.leave(at.pc, { kind: 'throw' }, at)
    } else graph.follow(flow.rejections, graph.shapeOf(result).all)
    graph.follow(flow.timing, graph.shapeOf(result).all)
    return result
  }
  if (global === 'JSON' && name === 'parse')
    for (const callable of listed(args)
      .slice(args.more ? 0 : 1)
      .flatMap((one) => flow.callablesOf(one)))
      if (callable.kind === 'function') noFunction(callable.returns, 'a function under a computed name', flow)
  if (global === 'Array' && name === 'from' && args.cells.length > 0) return arrayFrom(call, at, flow)
  if (global === 'Array' && name === 'of')
    return listOf(call, listed(args), args.more ? [args.more] : [], flow)
  return anything(call, at, flow)
}

/** Returns a promise, which is an object even if its value is not. */
function promiseOf({ node }: EngineCall, value: Cell | undefined, flow: Flow): Cell {
  const promise = flow.cell(node, 'promise')
  flow.graph.object(promise)
  if (value) flow.graph.copy(value, promise)
  return promise
}

/**
 * Analyses `Array.from`. Returns an array of the elements or of the callback's results. The array's length may come
 * from the argument's `length` field.
 */
function arrayFrom(call: EngineCall, at: At, flow: Flow): Cell {
  const { graph } = flow
  const { node, args } = call
  const [from, ...more] = args.cells
  const list = { ...call, base: from ?? call.base, args: { ...args, cells: more } }
  const length = flow.cell(node, 'number')
  readPart(list.base, 'length', length, at, flow)
  const made = listed(list.args).length > 0 ? map(list, at, flow) : slice(list, at, flow)
  const { rest, structure } = graph.shapeOf(made)
  for (const part of [made, rest, structure]) graph.followAll(length, part)
  return made
}

function hasCallables(args: Args): boolean {
  return listed(args)
    .slice(args.more ? 0 : 1)
    .some((one) => one.labels & anObject)
}

/** Analyses `Object.keys`, `values` and `entries`. */
function partsOf(call: EngineCall, flow: Flow): Cell {
  const { graph } = flow
  const { name, node, args } = call
  const [of] = listed(args)
  if (!of) return flow.cell(node, 'nothing')
  const keys = flow.cell(node, 'keys')
  followStructure(of, keys, flow)
  if (name === 'keys') return listOf(call, [keys], [keys], flow)
  const values = flow.cell(node, 'values')
  readAny(of, values, flow)
  if (name === 'values') return listOf(call, [values], [keys], flow)
  const pair = flow.cell(node, 'pair')
  const shape = graph.object(pair)
  graph.copy(keys, graph.field(shape, '0'))
  graph.copy(values, graph.field(shape, '1'))
  return listOf(call, [pair], [keys], flow)
}
