import type {
  AnonymousFunctionDeclaration,
  AnyNode,
  FunctionDeclaration,
  Identifier,
  IfStatement,
} from 'acorn'
import type { Cell } from './cells.js'
import { classValue } from './classes.js'
import type { At, Flow, Frame } from './flow.js'
import { functionValue, statements } from './functions.js'
import { followStructure, readElements } from './members.js'
import { everyNode } from './parse.js'
import { assign } from './patterns.js'
import { Unclear } from './unclear.js'
import { notePlain, returned } from './waits.js'

export function statement(node: AnyNode, at: At, flow: Flow): void {
  const value = (of: AnyNode | null | undefined, where = at) =>
    of ? flow.expression(of, where) : flow.nothing
  switch (node.type) {
    case 'ExpressionStatement':
      value(node.expression)
      return
    case 'VariableDeclaration':
      for (const { id, init } of node.declarations) {
        if (node.kind !== 'var') noteDeclared(id, at, flow)
        if (init) assign(id, value(init), at, flow)
        if (node.kind === 'const' && init) notePlain(id, init, flow)
      }
      return
    case 'FunctionDeclaration':
      if (node.id) declareFunction(node, node.id, at, flow)
      return
    case 'ClassDeclaration':
      if (node.id) noteDeclared(node.id, at, flow)
      classValue(node, at, flow)
      return
    case 'BlockStatement':
      statements(node.body, at, flow)
      return
    case 'IfStatement':
      ifStatement(node, at, flow)
      return
    case 'ReturnStatement':
      if (node.argument) returned(node.argument, at, flow)
      flow.leave(at.pc, { kind: 'return' }, at)
      return
    case 'ThrowStatement':
      flow.store(value(node.argument), flow.thrown, at)
      flow.leave(at.pc, { kind: 'throw' }, at)
      return
    case 'BreakStatement':
    case 'ContinueStatement': {
      const kind = node.type === 'BreakStatement' ? 'break' : 'continue'
      flow.leave(at.pc, { kind, ...(node.label && { label: node.label.name }) }, at)
      return
    }
    case 'LabeledStatement':
      flow.statement(node.body, framed(node, 'label', [], at, flow, node.label.name))
      return
    case 'SwitchStatement':
      switchStatement(node, at, flow)
      return
    case 'TryStatement':
      tryStatement(node, at, flow)
      return
    case 'EmptyStatement':
    case 'DebuggerStatement':
      return
    default:
      loop(node, at, flow)
      return
  }
}

/** Records the conditions under which variables are declared. Until then, any use of them throws. */
function noteDeclared(id: AnyNode, at: At, flow: Flow): void {
  everyNode(id, (node) => {
    const binding = node.type === 'Identifier' && flow.names.bindings.get(node)
    if (!binding) return
    for (const to of [flow.cell(binding), flow.cell(binding, 'declared')]) flow.graph.follow(at.pc, to)
  })
}

function ifStatement(node: IfStatement, at: At, flow: Flow): void {
  const inner = flow.under(node, at, [flow.expression(node.test, at)])
  // A branch without braces can be a function, which exists only if the branch runs.
  const exits = flow.cell(node, 'branches')
  const frame: Frame = { kind: 'statement', exits, outer: at.frame }
  for (const branch of [node.consequent, node.alternate])
    if (branch) flow.statement(branch, { ...inner, frame })
}

/**
 * Declares a function. In a block or a branch, the function exists when that runs. Elsewhere, it exists before all
 * statements.
 */
function declareFunction(
  node: FunctionDeclaration | AnonymousFunctionDeclaration,
  id: Identifier,
  at: At,
  flow: Flow,
): void {
  assign(id, functionValue(node, at, flow), at.frame?.outer ? at : { ...at, pc: flow.nothing }, flow)
}

/**
 * Returns the context inside a statement that can be left early. Everything in the statement depends on the conditions
 * for leaving it.
 */
function framed(
  node: AnyNode,
  kind: Frame['kind'],
  causes: readonly Cell[],
  at: At,
  flow: Flow,
  label?: string,
): At {
  const exits = flow.cell(node, 'left')
  const inner = flow.under(node, at, [exits, ...causes], 'within')
  return { ...inner, frame: { kind, exits, outer: at.frame, ...(label !== undefined && { label }) } }
}

function loop(node: AnyNode, at: At, flow: Flow): void {
  switch (node.type) {
    case 'WhileStatement':
    case 'DoWhileStatement': {
      const inner = framed(node, 'loop', [flow.cell(node, 'test')], at, flow)
      flow.graph.follow(flow.expression(node.test, inner), flow.cell(node, 'test'))
      flow.statement(node.body, inner)
      return
    }
    case 'ForStatement': {
      const { init, test, update, body } = node
      if (init?.type === 'VariableDeclaration') flow.statement(init, at)
      else if (init) flow.expression(init, at)
      const inner = framed(node, 'loop', [flow.cell(node, 'test')], at, flow)
      if (test) flow.graph.follow(flow.expression(test, inner), flow.cell(node, 'test'))
      flow.statement(body, inner)
      if (update) flow.expression(update, inner)
      return
    }
    case 'ForInStatement':
    case 'ForOfStatement': {
      const { left } = node
      // `for (var name = value in object)` is valid, and evaluates the value first.
      if (left.type === 'VariableDeclaration') flow.statement(left, at)
      const list = flow.expression(node.right, at)
      const length = flow.cell(node, 'length')
      followStructure(list, length, flow)
      const inner = framed(node, 'loop', [length], at, flow)
      const each = flow.cell(node, 'each')
      if (node.type === 'ForInStatement') flow.graph.follow(length, each)
      else readElements(list, each, inner, flow)
      if (node.type === 'ForOfStatement' && node.await) {
        flow.waits(inner)
        if (flow.isConcurrent) flow.graph.followAll(list, flow.timing)
      }
      assign(
        left.type === 'VariableDeclaration' ? (left.declarations[0]?.id ?? left) : left,
        each,
        inner,
        flow,
      )
      flow.statement(node.body, inner)
      return
    }
    default:
      throw new Unclear(node.type)
  }
}

function switchStatement(node: Extract<AnyNode, { type: 'SwitchStatement' }>, at: At, flow: Flow): void {
  const tested = flow.cell(node, 'tested')
  flow.graph.follow(flow.expression(node.discriminant, at), tested)
  const inner = framed(node, 'switch', [tested], at, flow)
  for (const { test } of node.cases) if (test) flow.graph.follow(flow.expression(test, inner), tested)
  statements(
    node.cases.flatMap(({ consequent }) => consequent),
    inner,
    flow,
  )
}

/**
 * Analyses a try statement. Any part of it may throw, so the statement and its handlers get the labels of all parts. A
 * jump in `finally` replaces what the other blocks did, including their errors, so then all blocks get all labels.
 */
function tryStatement(node: Extract<AnyNode, { type: 'TryStatement' }>, at: At, flow: Flow): void {
  const { graph } = flow
  const heard = flow.cell(node, 'heard')
  graph.follow(heard, at.heard)
  graph.follow(flow.rejections, heard)
  const under = flow.under(node, at, [heard], 'try')
  const exits = flow.cell(node, 'caught')
  const frame: Frame | undefined = node.handler ? { kind: 'try', exits, outer: at.frame } : at.frame
  flow.statement(node.block, { ...under, heard, frame })
  const { handler, finalizer } = node
  const after = { heard: finalizer && hasJump(finalizer) ? heard : at.heard, frame: at.frame }
  if (handler) {
    const caught = { ...flow.under(node, under, [exits], 'handler'), ...after }
    if (handler.param) {
      const error = flow.cell(handler)
      const shape = graph.object(error)
      graph.copy(flow.thrown, error)
      for (const cause of [heard, exits]) {
        graph.follow(cause, error)
        graph.follow(cause, graph.find(shape).all)
      }
      assign(handler.param, error, caught, flow)
    }
    flow.statement(handler.body, caught)
  }
  if (finalizer) flow.statement(finalizer, { ...under, ...after })
}

/** Whether a block contains a statement that may leave it. */
function hasJump(block: AnyNode): boolean {
  let found = false
  everyNode(block, ({ type }) => {
    found ||= type === 'ReturnStatement' || type === 'BreakStatement' || type === 'ContinueStatement'
  })
  return found
}
