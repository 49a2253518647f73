// Reading and writing parts of objects.

import type { AnyNode } from 'acorn'
import { type Cell, isElement, type Shape } from './cells.js'
import { type At, type Flow, keyName, native, unknown } from './flow.js'
import { Unclear } from './unclear.js'

/** The key of a part: a known name, or the possible values of a computed key. */
export type Key = string | { readonly values: Cell }

export function keyOf(node: AnyNode, isComputed: boolean, at: At, flow: Flow): Key {
  const name = keyName(node, isComputed)
  if (name !== undefined) return name
  const values = flow.expression(node, at)
  // Converting an object to a key may throw.
  flow.graph.followAll(values, at.heard)
  return { values }
}

/** Makes a cell receive the values that a part of a value can have. */
export function readPart(of: Cell, key: Key, to: Cell, at: At, flow: Flow): void {
  const { graph } = flow
  graph.part(of, to)
  const shape = graph.shapeOf(of)
  if (typeof key === 'string') {
    readField(shape, key, to, flow)
    if (key === 'length' || key === 'size') graph.follow(graph.find(shape).structure, to)
    if (engineNames().has(key)) flow.addCallable(to, native)
  } else {
    noFunction(of, 'a computed member of a function', flow)
    graph.followAll(key.values, to)
    readAny(of, to, flow)
    flow.addCallable(to, unknown)
  }
  if (flow.isConcurrent && !at.info.isTop) graph.follow(flow.timing, to)
}

function readField(of: Shape, name: string, to: Cell, { graph }: Flow): void {
  const cell = graph.field(of, name)
  graph.read(cell, of, to)
  const { rest, spread, written } = graph.find(of)
  if (cell !== rest) graph.read(rest, of, to)
  if (!written?.has(name)) graph.read(spread, of, to)
}

/** Makes a cell receive the values of all parts of a value. */
export function readAny(of: Cell, to: Cell, { graph }: Flow): void {
  graph.part(of, to)
  const shape = graph.shapeOf(of)
  const { fields, rest, spread, structure } = shape
  for (const cell of [...fields.values(), rest, spread]) graph.read(cell, shape, to)
  graph.follow(graph.find(shape).structure, to)
  graph.follow(structure, to)
}

/**
 * Makes a cell receive the values of all elements of an array. A value without elements may be an iterator, which
 * reading advances.
 */
export function readElements(of: Cell, to: Cell, at: At, flow: Flow): void {
  const { graph } = flow
  const shape = graph.shapeOf(of)
  if (graph.find(shape).isBlob) flow.mark(graph.find(shape).all, at)
  graph.part(of, to)
  const { fields, rest, spread } = graph.find(shape)
  const elements = [...fields].flatMap(([name, cell]) => (isElement(name) ? cell : []))
  for (const cell of [...elements, rest, spread]) graph.read(cell, shape, to)
  graph.follow(graph.find(shape).structure, to)
}

/** Makes a cell receive the labels that affect how many parts a value has, and their order. */
export function followStructure(of: Cell, to: Cell, { graph }: Flow): void {
  graph.follow(of, to)
  const shape = graph.shapeOf(of)
  graph.follow(shape.structure, to)
  graph.follow(shape.all, to)
}

/**
 * Rejects access to a member of a function under an unknown name. The name could be `name`, which all functions have,
 * or the name of a method that the engine calls.
 * @throws Unclear if the value may be a function of the program
 */
export function noFunction(value: Cell, what: string, flow: Flow): void {
  if (flow.callablesOf(value).some(({ kind }) => kind === 'function' || kind === 'class' || kind === 'tool'))
    throw new Unclear(what)
}

/** Writes a value to a part of an object. */
export function writePart(of: Cell, key: Key, value: Cell, at: At, flow: Flow): void {
  const { graph } = flow
  flow.open(of)
  const shape = graph.shapeOf(of)
  graph.write(shape)
  const isName = typeof key === 'string'
  if (!isName) {
    noFunction(of, 'a computed member of a function', flow)
    noFunction(value, 'a function under a computed name', flow)
  }
  const field = isName ? graph.field(shape, key) : graph.find(shape).rest
  flow.store(value, field, at)
  graph.follow(of, field)
  const { structure, rest } = graph.find(shape)
  // Writing to a frozen object may throw.
  followStructure(of, at.heard, flow)
  flow.mark(structure, at)
  graph.follow(of, structure)
  if (!isName) {
    graph.followAll(key.values, field)
    graph.followAll(key.values, structure)
  }
  if (key !== 'length') return
  flow.mark(rest, at)
  for (const cell of [structure, rest, at.heard]) graph.followAll(value, cell)
}

/** Adds labels to an array's structure and to each of its elements. */
export function changeElements(of: Cell, causes: readonly Cell[], at: At, flow: Flow): void {
  const { graph } = flow
  flow.open(of)
  const shape = graph.shapeOf(of)
  graph.write(shape)
  graph.moveElements(shape)
  followStructure(of, at.heard, flow)
  const { structure, rest } = graph.find(shape)
  for (const cell of [structure, rest]) {
    flow.mark(cell, at)
    for (const cause of [of, ...causes]) graph.follow(cause, cell)
  }
}

let names: ReadonlySet<string> | undefined

/** Methods that the engine has, and that Node.js or an old version of it does not have. */
const newNames: readonly string[] = [
  ...['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf'],
  ...['isDisjointFrom', 'getOrInsert', 'getOrInsertComputed', 'take', 'drop', 'toArray', 'return', 'toJSON'],
]

/** Returns the names of all methods of built-in objects. */
export function engineNames(): ReadonlySet<string> {
  if (names) return names
  const found = new Set(newNames)
  const roots = [
    Object,
    Function,
    Array,
    String,
    Number,
    Boolean,
    BigInt,
    Symbol,
    Map,
    Set,
    WeakMap,
    RegExp,
    Promise,
  ]
  const others = [Error, ArrayBuffer, DataView, Object.getPrototypeOf(Int8Array), Math, JSON]
  const iterators = [[].values(), new Map().values(), new Set().values(), 'a'.matchAll(/a/g)]
  const list: object[] = [...roots, ...others]
  for (const one of [...roots, ...others]) if (typeof one === 'function') list.push(one.prototype)
  for (const one of iterators)
    for (let at: object = Object.getPrototypeOf(one); at !== Object.prototype; at = Object.getPrototypeOf(at))
      list.push(at)
  for (const one of list)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one)))
      if (typeof value === 'function' && name !== 'constructor') found.add(name)
  names = found
  return found
}
