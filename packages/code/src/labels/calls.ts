import type { AnyNode, CallExpression, NewExpression } from 'acorn'
import type { Cell } from './cells.js'
import { engineMember } from './engine-globals.js'
import { engineMethod } from './engine-methods.js'
import type { Args, At, Callable, Flow } from './flow.js'
import { invokeFunction } from './functions.js'
import { engineCall, invoke, listed } from './invoke.js'
import { engineNames, keyOf, readElements, readPart } from './members.js'

export function callExpression(node: CallExpression, at: At, flow: Flow): Cell {
  const callee = withoutChain(node.callee)
  const result = flow.cell(node)
  if (callee.type === 'Super') {
    const args = argsOf(node.arguments, at, flow)
    const { self } = at.info
    construct(node, self, self, args, at, flow)
    return result
  }
  if (callee.type === 'MemberExpression') return methodCall(node, callee, at, flow)
  const called = flow.expression(callee, at)
  const here = hasOptional(node) ? flow.under(node, at, [called], 'chain') : at
  const args = argsOf(node.arguments, here, flow)
  callAll(node, called, flow.callablesOf(called), { args, result }, here, flow)
  return result
}

function methodCall(
  node: CallExpression,
  callee: Extract<AnyNode, { type: 'MemberExpression' }>,
  at: At,
  flow: Flow,
): Cell {
  const result = flow.cell(node)
  const { object, property, computed } = callee
  const base = object.type === 'Super' ? at.info.self : flow.expression(object, at)
  const inner = callee.optional ? flow.under(callee, at, [base]) : at
  const key = keyOf(property, computed, inner, flow)
  const called = flow.cell(callee)
  readPart(base, key, called, inner, flow)
  const here = hasOptional(node) ? flow.under(node, inner, [called], 'chain') : inner
  const args = argsOf(node.arguments, here, flow)
  // `tools` itself has only tools. Any other object that contains tools also has built-in methods.
  const isOfTools = object.type === 'Identifier' && !!flow.siteOf(object) && isTools(called, flow)
  if (typeof key !== 'string') {
    callAll(
      node,
      called,
      flow.callablesOf(called).filter(({ kind }) => kind !== 'unknown' || !isOfTools),
      { args, self: base, result },
      here,
      flow,
    )
    return result
  }
  const own = flow.callablesOf(called).filter(({ kind }) => kind !== 'native' && kind !== 'unknown')
  if (own.length > 0) callAll(node, called, own, { args, self: base, result }, here, flow)
  if (isOfTools && own.length === 1) return result
  const isEngine = engineNames().has(key) || (own.length === 0 && flow.isLate)
  if (!isEngine) return result
  const isGlobal = object.type === 'Identifier' && !flow.names.bindings.has(object)
  const given = isGlobal
    ? engineMember({ node, global: object.name, name: key, args, base }, here, flow)
    : engineMethod({ node, name: key, args, base }, here, flow)
  flow.graph.copy(given, result)
  return result
}

/** Returns what is called. `(list?.push)(x)` calls a method, as `list.push(x)` does. */
function withoutChain(callee: AnyNode): AnyNode {
  return callee.type === 'ChainExpression' ? callee.expression : callee
}

/** Whether a called value is always a tool. */
function isTools(called: Cell, flow: Flow): boolean {
  const own = flow.callablesOf(called).filter(({ kind }) => kind !== 'native' && kind !== 'unknown')
  return own.length > 0 && own.every(({ kind }) => kind === 'tool')
}

/** Whether a call or member access is part of an optional chain, and so is skipped if an earlier value is null. */
export function hasOptional(node: AnyNode): boolean {
  if (node.type === 'CallExpression') return node.optional || hasOptional(node.callee)
  return node.type === 'MemberExpression' && (node.optional || hasOptional(node.object))
}

function argsOf(nodes: readonly AnyNode[], at: At, flow: Flow): Args {
  const cells: Cell[] = []
  let more: Cell | undefined
  for (const node of nodes) {
    if (node.type === 'SpreadElement') {
      const list = flow.expression(node.argument, at)
      const elements = flow.cell(node)
      readElements(list, elements, at, flow)
      more = mixed(node, [more, elements], flow)
    } else {
      const value = flow.expression(node, at)
      if (more) more = mixed(node, [more, value], flow)
      else cells.push(value)
    }
  }
  return { cells, more }
}

function mixed(node: AnyNode, cells: readonly (Cell | undefined)[], flow: Flow): Cell {
  const both = flow.cell(node, 'more')
  for (const one of cells) if (one) flow.graph.copy(one, both)
  return both
}

interface Made {
  readonly args: Args
  readonly self?: Cell
  readonly result: Cell
}

/**
 * Analyses a call to each function that a value may be. In the last passes, a value without known functions is treated
 * as a built-in function.
 */
function callAll(
  node: AnyNode,
  called: Cell,
  callables: readonly Callable[],
  { args, self, result }: Made,
  at: At,
  flow: Flow,
): void {
  const { graph } = flow
  graph.follow(called, result)
  const here = flow.under(node, at, [called], 'call')
  for (const callable of callables)
    graph.copy(invoke(node, callable, { called, args, self, at: here }, flow), result)
  if (callables.length === 0 && flow.isLate)
    graph.copy(engineCall(node, [called, ...listed(args), ...(self ? [self] : [])], here, flow), result)
}

export function newExpression(node: NewExpression, at: At, flow: Flow): Cell {
  const { graph } = flow
  const { callee } = node
  const called = flow.expression(callee, at)
  const args = argsOf(node.arguments, at, flow)
  const result = flow.cell(node)
  graph.follow(called, result)
  const global = callee.type === 'Identifier' && !flow.names.bindings.has(callee) ? callee.name : ''
  const isError = global.endsWith('Error') && global !== 'AggregateError'
  if (isError && args.cells.length < 2 && !args.more) {
    const message = graph.field(graph.object(result), 'message')
    for (const one of args.cells) for (const to of [message, at.heard]) graph.followAll(one, to)
    return result
  }
  construct(node, called, result, args, at, flow)
  // The promise may be rejected with a value that it contains.
  if (global === 'Promise') graph.copy(result, flow.thrown)
  return result
}

/** Analyses `new` for each class that a value may be. */
function construct(node: AnyNode, called: Cell, result: Cell, args: Args, at: At, flow: Flow): void {
  const { graph } = flow
  const here = flow.under(node, at, [called], 'new')
  const callables = flow.callablesOf(called)
  graph.object(result)
  for (const callable of callables) {
    if (callable.kind === 'class') {
      graph.unify(graph.shapeOf(callable.self), graph.shapeOf(result))
      invokeFunction(callable.fields, { cells: [] }, callable.self, here, flow)
      if (callable.construct)
        graph.copy(invokeFunction(callable.construct, args, callable.self, here, flow), result)
    } else if (callable.kind === 'function') {
      graph.copy(invokeFunction(callable, args, result, here, flow), result)
    } else {
      flow.waits(at)
      graph.copy(engineCall(node, [called, ...listed(args)], here, flow), result)
    }
  }
  if (callables.length === 0 && flow.isLate)
    graph.copy(engineCall(node, [called, ...listed(args)], here, flow), result)
}

export function taggedTemplate(
  node: Extract<AnyNode, { type: 'TaggedTemplateExpression' }>,
  at: At,
  flow: Flow,
): Cell {
  const result = flow.cell(node)
  const called = flow.expression(node.tag, at)
  const texts = flow.cell(node.quasi)
  flow.graph.object(texts)
  const args = { cells: [texts, ...node.quasi.expressions.map((one) => flow.expression(one, at))] }
  const tag = withoutChain(node.tag)
  const self = tag.type === 'MemberExpression' ? flow.expression(tag.object, at) : undefined
  callAll(node, called, flow.callablesOf(called), { args, result, ...(self && { self }) }, at, flow)
  return result
}
