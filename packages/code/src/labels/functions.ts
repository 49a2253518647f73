import type { AnyNode } from 'acorn'
import type { Cell } from './cells.js'
import type { Args, At, Flow, FunctionInfo } from './flow.js'
import { assign } from './patterns.js'
import type { FunctionNode } from './scopes.js'
import { returned } from './waits.js'

/** Returns a function as a value, and analyses its body. */
export function functionValue(node: FunctionNode, at: At, flow: Flow, own?: Cell): Cell {
  const cell = flow.cell(node)
  const self = node.type === 'ArrowFunctionExpression' ? at.info.self : (own ?? flow.cell(node, 'self'))
  const info = flow.infoOf(node, self)
  flow.addCallable(cell, info)
  if (node.type === 'FunctionExpression' && node.id) assign(node.id, cell, within(info, flow), flow)
  functionBody(info, flow)
  return cell
}

/** Returns the context in which a function's body is analysed. */
export function within(info: FunctionInfo, { graph, handles, rejections }: Flow): At {
  const { node, isTop } = info
  graph.follow(info.pc, info.heard)
  if (!isTop && (handles === 'all' || (handles === 'async' && node.async))) graph.follow(info.heard, info.pc)
  if (!isTop && (handles === 'all' || node.async)) graph.follow(info.heard, rejections)
  return { info, pc: info.pc, heard: info.heard, frame: undefined }
}

export function functionBody(info: FunctionInfo, flow: Flow): void {
  const { node, params } = info
  const { graph } = flow
  const at = within(info, flow)
  // A promise is an object, even if its value is not: the program can store values in its fields.
  if (node.async && !info.isTop) graph.object(info.returns)
  for (const [index, param] of node.params.entries()) {
    const given = params[index] as Cell
    if (param.type !== 'RestElement') assign(param, given, at, flow)
    else {
      const list = flow.cell(param)
      const shape = graph.object(list)
      graph.copy(given, graph.find(shape).rest)
      for (const cause of [info.pc, info.count]) graph.follow(cause, graph.find(shape).structure)
      assign(param.argument, list, at, flow)
    }
  }
  if (node.body.type === 'BlockStatement') statements(node.body.body, at, flow)
  else returned(node.body, at, flow)
}

/**
 * Analyses statements in order. If a statement may jump away, the statements after it depend on the conditions of the
 * jump.
 */
export function statements(nodes: readonly AnyNode[], at: At, flow: Flow): void {
  let here = at
  for (const node of nodes) {
    const exits = flow.cell(node, 'exits')
    flow.statement(node, { ...here, frame: { kind: 'statement', exits, outer: here.frame } })
    here = flow.under(node, here, [exits], 'after')
  }
}

/** Analyses a call to one of the program's functions. Returns the values that the function returns. */
export function invokeFunction(
  info: FunctionInfo,
  { cells, more }: Args,
  self: Cell | undefined,
  at: At,
  flow: Flow,
): Cell {
  const { graph } = flow
  const { node, params } = info
  graph.follow(at.pc, info.pc)
  if (!self) flow.checkThis(info)
  // An arrow function uses the `this` of the enclosing function.
  if (self && node.type !== 'ArrowFunctionExpression') graph.copy(self, info.self)
  if (more) graph.follow(more, info.count)
  for (const [index, param] of node.params.entries()) {
    const to = params[index] as Cell
    const given = param.type === 'RestElement' ? cells.slice(index) : cells.slice(index, index + 1)
    for (const one of more ? [...given, more] : given) graph.copy(one, to)
  }
  if (node.async) flow.waits(at)
  graph.follow(info.heard, at.heard)
  flow.leave(info.throws, { kind: 'throw' }, at)
  return info.returns
}
