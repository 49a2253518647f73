// Describes built-in methods by name: what they return and what they change. A method that is not listed may do
// anything with its arguments.

import type { AnyNode } from 'acorn'
import { anObject, type Cell } from './cells.js'
import type { Args, At, Flow } from './flow.js'
import { engineCall, invoke, listed } from './invoke.js'
import { changeElements, followStructure, readAny, readElements } from './members.js'
import { isFunction } from './scopes.js'

export interface EngineCall {
  readonly node: AnyNode
  readonly name: string
  readonly args: Args
  readonly base: Cell
}

export type Method = (call: EngineCall, at: At, flow: Flow) => Cell

/** Analyses a call to a method of a value. */
export function engineMethod(call: EngineCall, at: At, flow: Flow): Cell {
  const { name, args } = call
  if (primitiveNames.has(name)) return primitiveOf(call, flow)
  if (changing.has(name)) flow.open(call.base)
  if (calling.has(name)) for (const one of listed(args)) flow.open(one)
  // If arguments were spread, their positions are unknown.
  if (args.more && !anyPlace.has(name)) return anything(call, at, flow)
  // A method of an iterator calls its function later, or only until a value is found, which affects when other
  // functions continue.
  if (flow.hasIterators && ofIterators.has(name) && flow.graph.shapeOf(call.base).isBlob)
    return anything(call, at, flow)
  const method = Object.hasOwn(methods, name) ? methods[name as keyof typeof methods] : undefined
  return method ? method(call, at, flow) : anything(call, at, flow)
}

/** Methods that change their object, in addition to the methods in `methods`. */
const changing: ReadonlySet<string> = new Set(['fill', 'copyWithin'])
/** Methods of functions. The function that they call may change the arguments that they pass on. */
const calling: ReadonlySet<string> = new Set(['call', 'apply', 'bind'])
/** Methods for which the positions of the arguments do not matter. */
const anyPlace: ReadonlySet<string> = new Set(['push', 'unshift', 'concat', 'splice', 'slice', 'at', 'get'])
/** Methods that take a callback and that iterators have too. */
const ofIterators: ReadonlySet<string> = new Set([
  ...['map', 'filter', 'flatMap', 'some', 'every', 'find', 'forEach', 'reduce'],
])

/** Methods that change nothing and return primitive values. */
const primitiveNames: ReadonlySet<string> = new Set([
  ...[
    'includes',
    'indexOf',
    'lastIndexOf',
    'join',
    'startsWith',
    'endsWith',
    'toFixed',
    'toPrecision',
    'toString',
  ],
  ...[
    'toExponential',
    'toLowerCase',
    'toUpperCase',
    'toLocaleLowerCase',
    'toLocaleUpperCase',
    'trim',
    'trimStart',
  ],
  ...[
    'trimEnd',
    'padStart',
    'padEnd',
    'charAt',
    'charCodeAt',
    'codePointAt',
    'repeat',
    'substring',
    'substr',
  ],
  ...['localeCompare', 'normalize', 'has', 'hasOwnProperty', 'propertyIsEnumerable', 'toLocaleString'],
])

export const anything: Method = ({ node, base, args }, at, flow) =>
  engineCall(node, [base, ...listed(args)], at, flow)

export function primitiveOf({ node, base, args }: EngineCall, flow: Flow): Cell {
  const cell = flow.cell(node, 'primitive')
  for (const one of [base, ...listed(args)]) flow.graph.followAll(one, cell)
  return cell
}

/** Returns an array of these elements. The array's length and order depend on `causes`. */
export function listOf(
  { node }: EngineCall,
  elements: readonly Cell[],
  causes: readonly Cell[],
  flow: Flow,
): Cell {
  const { graph } = flow
  const cell = flow.cell(node, 'list')
  const { rest, structure } = graph.object(cell)
  for (const one of elements) graph.copy(one, graph.shapeOf(cell).rest)
  for (const one of causes) {
    graph.follow(one, cell)
    graph.follow(one, rest)
    graph.follow(one, structure)
  }
  return cell
}

interface Callback {
  /** The values that the callback gets, in order. */
  readonly given: readonly Cell[]
  /** Other values, besides the array, that determine whether the callback is called. */
  readonly causes?: readonly Cell[]
}

/** Analyses the calls to a method's callback, one per array element. Returns the callback's results. */
function callback(call: EngineCall, { given, causes = [] }: Callback, at: At, flow: Flow): Cell {
  const { graph } = flow
  const { node, args, base } = call
  const returned = flow.cell(node, 'returned')
  const length = flow.cell(node, 'length')
  followStructure(base, length, flow)
  const [called, self] = listed(args)
  if (!called) return returned
  graph.follow(called, length)
  const here = flow.under(node, at, [length, ...causes], 'callback')
  for (const callable of flow.callablesOf(called)) {
    if (callable.kind === 'function') flow.checkThis(callable)
    graph.copy(invoke(node, callable, { called, args: { cells: given }, self, at: here }, flow), returned)
  }
  return returned
}

/** Returns a callback's arguments: the element, the index and the array. */
function elementOf({ node, base }: EngineCall, at: At, flow: Flow): readonly [Cell, Cell, Cell] {
  const element = flow.cell(node, 'element')
  readElements(base, element, at, flow)
  const index = flow.cell(node, 'index')
  const { graph } = flow
  const shape = graph.shapeOf(base)
  // For a Map, this argument is the key.
  if (shape.isBlob) graph.copy(shape.rest, index)
  followStructure(base, index, flow)
  return [element, index, base]
}

/** Returns the labels that affect an array's length and order. */
function lengthOf({ node, base }: EngineCall, flow: Flow): Cell {
  const cell = flow.cell(node, 'structure')
  followStructure(base, cell, flow)
  return cell
}

export const map: Method = (call, at, flow) => {
  const returned = callback(call, { given: elementOf(call, at, flow) }, at, flow)
  return listOf(call, [returned], [lengthOf(call, flow)], flow)
}

const flatMap: Method = (call, at, flow) => {
  const returned = callback(call, { given: elementOf(call, at, flow) }, at, flow)
  const inner = flow.cell(call.node, 'inner')
  readElements(returned, inner, at, flow)
  return listOf(call, [returned, inner], [lengthOf(call, flow), inner], flow)
}

const forEach: Method = (call, at, flow) => {
  callback(call, { given: elementOf(call, at, flow) }, at, flow)
  return flow.cell(call.node, 'nothing')
}

/** Analyses a method that returns the elements for which a function returns true. */
const filter: Method = (call, at, flow) => {
  const given = elementOf(call, at, flow)
  const returned = callback(call, { given }, at, flow)
  return listOf(call, [given[0]], [returned, lengthOf(call, flow)], flow)
}

/** Analyses a method that returns the first element for which a function returns true. */
const find: Method = (call, at, flow) => {
  const { graph } = flow
  const given = elementOf(call, at, flow)
  const ended = flow.cell(call.node, 'ended')
  const returned = callback(call, { given, causes: [ended] }, at, flow)
  graph.follow(returned, ended)
  const cell = flow.cell(call.node, 'found')
  graph.copy(given[0], cell)
  for (const cause of [returned, lengthOf(call, flow)]) graph.follow(cause, cell)
  return cell
}

/** Analyses a method that returns a primitive value: whether an element matches, or its index. */
const some: Method = (call, at, flow) => {
  find(call, at, flow)
  const cell = flow.cell(call.node, 'some')
  for (const cause of [flow.cell(call.node, 'ended'), lengthOf(call, flow)]) flow.graph.follow(cause, cell)
  return cell
}

const reduce: Method = (call, at, flow) => {
  const { graph } = flow
  const [element, index, list] = elementOf(call, at, flow)
  const sum = flow.cell(call.node, 'sum')
  const [, first] = listed(call.args)
  graph.copy(first ?? element, sum)
  const plain = { ...call, args: { ...call.args, cells: call.args.cells.slice(0, 1) } }
  graph.copy(callback(plain, { given: [sum, element, index, list] }, at, flow), sum)
  graph.follow(lengthOf(call, flow), sum)
  return sum
}

/** Analyses a method that returns some of the elements. */
export const slice: Method = (call, at, flow) => {
  const [element] = elementOf(call, at, flow)
  const bounds = flow.cell(call.node, 'bounds')
  for (const one of listed(call.args)) flow.graph.followAll(one, bounds)
  return listOf(call, [element], [bounds, lengthOf(call, flow)], flow)
}

const concat: Method = (call, at, flow) => {
  const { graph } = flow
  const [element] = elementOf(call, at, flow)
  const lengths = flow.cell(call.node, 'lengths')
  const inner = listed(call.args).flatMap((one, index) => {
    const elements = flow.cell(call.node, `elements${index}`)
    readElements(one, elements, at, flow)
    followStructure(one, lengths, flow)
    // `concat` on a string converts all elements to text.
    graph.followAll(one, lengths)
    return [one, elements]
  })
  graph.follow(lengthOf(call, flow), lengths)
  return listOf(call, [element, ...inner], [lengths], flow)
}

const at: Method = (call, place, flow) => {
  const { graph } = flow
  const cell = flow.cell(call.node, 'found')
  readElements(call.base, cell, place, flow)
  for (const one of listed(call.args)) graph.followAll(one, cell)
  return cell
}

const pop: Method = (call, place, flow) => {
  changeElements(call.base, [], place, flow)
  return at(call, place, flow)
}

const push: Method = (call, place, flow) => {
  const { graph } = flow
  changeElements(call.base, [], place, flow)
  for (const one of listed(call.args)) graph.copy(one, graph.shapeOf(call.base).rest)
  if (call.args.more) followStructure(call.args.more, graph.shapeOf(call.base).structure, flow)
  return lengthOf(call, flow)
}

const splice: Method = (call, place, flow) => {
  const { graph } = flow
  const { args } = call
  const removed = slice({ ...call, args: { ...args, cells: args.cells.slice(0, 2) } }, place, flow)
  changeElements(call.base, [flow.cell(call.node, 'bounds')], place, flow)
  for (const one of listed(call.args)) graph.copy(one, graph.shapeOf(call.base).rest)
  return removed
}

/** Analyses a method that returns an array whose order depends on a function or on the elements. */
const sort: Method = (call, place, flow) => {
  const { graph } = flow
  const [element] = elementOf(call, place, flow)
  const order = flow.cell(call.node, 'order')
  const returned = callback(call, { given: [element, element], causes: [order] }, place, flow)
  // Undefined elements come last, without a call of the function.
  for (const cause of [returned, element]) graph.follow(cause, order)
  // Converting what the function returns to a number may throw.
  graph.followAll(returned, place.heard)
  // Without a function, the order depends on the elements' text.
  if (!isFunctionGiven(call)) for (const to of [order, place.heard]) graph.followAll(element, to)
  if (call.name === 'sort') {
    changeElements(call.base, [order], place, flow)
    return call.base
  }
  return listOf(call, [element], [order, lengthOf(call, flow)], flow)
}

/** Whether the first argument is a function expression, and so is certainly a function. */
function isFunctionGiven({ node }: EngineCall): boolean {
  const [first] = node.type === 'CallExpression' ? node.arguments : []
  return first !== undefined && isFunction(first)
}

const reverse: Method = (call, place, flow) => {
  changeElements(call.base, [], place, flow)
  return call.base
}

const get: Method = (call, _at, flow) => {
  const { graph } = flow
  const cell = flow.cell(call.node, 'found')
  readAny(call.base, cell, flow)
  for (const one of listed(call.args)) graph.follow(one, cell)
  return cell
}

/**
 * Analyses a method that returns the matches of a pattern in a string. The matches depend on the pattern's `lastIndex`,
 * which the call changes.
 */
const match: Method = (call, place, flow) => {
  const { graph } = flow
  const { node, name, args, base } = call
  const [pattern, replacement] = listed(args)
  const read = primitiveOf(call, flow)
  for (const one of name === 'test' || name === 'exec' ? [base] : pattern ? [pattern] : [])
    if (one.labels & anObject) {
      const { all } = graph.shapeOf(one)
      graph.follow(read, all)
      flow.mark(all, place)
    }
  if (name === 'test' || name === 'search') return read
  if (name === 'split') return listOf(call, [read], [read], flow)
  if (name !== 'replace' && name !== 'replaceAll') {
    const found = flow.cell(node, 'match')
    graph.collapse(graph.object(found))
    graph.follow(read, graph.shapeOf(found).all)
    graph.follow(read, found)
    return found
  }
  const called = replacement ? flow.callablesOf(replacement) : []
  const here = flow.under(node, place, [read], 'callback')
  const given = { cells: [read, read], more: read }
  for (const callable of called)
    graph.followAll(
      invoke(node, callable, { called: replacement ?? read, args: given, at: here }, flow),
      read,
    )
  return read
}

/** Analyses `then`, `catch` and `finally`, which wait for a promise. */
const then: Method = (call, place, flow) => {
  const { graph } = flow
  flow.waits(place)
  const result = anything(call, place, flow)
  graph.copy(flow.thrown, result)
  for (const cause of [flow.rejections, flow.timing]) graph.follow(cause, graph.shapeOf(result).all)
  return result
}

const methods: Readonly<Record<string, Method>> = {
  ...{
    map,
    flatMap,
    forEach,
    filter,
    find,
    findLast: find,
    findIndex: some,
    findLastIndex: some,
    some,
    every: some,
  },
  ...{ reduce, reduceRight: reduce, slice, concat, at, pop, shift: pop, push, unshift: push, splice },
  ...{ sort, toSorted: sort, reverse, toReversed: slice, get },
  ...{
    match,
    matchAll: match,
    replace: match,
    replaceAll: match,
    split: match,
    search: match,
    test: match,
    exec: match,
  },
  ...{ then, catch: then, finally: then },
}
