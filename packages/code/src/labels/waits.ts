// Analyses how long promises are awaited, which matters when functions run concurrently.

import type { AnyNode } from 'acorn'
import type { Cell } from './cells.js'
import type { At, Flow } from './flow.js'
import { followStructure } from './members.js'
import { everyNode } from './parse.js'

/** Returns the values of an awaited expression. A promise is analysed as the value that it resolves to. */
export function awaited(argument: AnyNode, at: At, flow: Flow): Cell {
  const value = flow.expression(argument, at)
  flow.waits(at)
  if (flow.isConcurrent && !isPlainWait(argument, at, flow)) flow.graph.followAll(value, flow.timing)
  return value
}

/** Analyses the value that a function returns. If the value is a promise, an async function awaits it. */
export function returned(node: AnyNode, at: At, flow: Flow): void {
  const { info } = at
  const value = flow.expression(node, at)
  flow.store(value, info.returns, at)
  const waits = flow.isConcurrent && info.node.async && !info.isTop
  if (waits && !isPlain(node, flow) && !isPlainWait(node, at, flow)) flow.graph.followAll(value, flow.timing)
}

/** Records a variable that is initialised with a tool result. */
export function notePlain(id: AnyNode, init: AnyNode, flow: Flow): void {
  if (!isResult(init, flow) || hasDefault(id)) return
  everyNode(id, (node) => {
    const binding = node.type === 'Identifier' && flow.names.bindings.get(node)
    if (binding) flow.plain.add(binding)
  })
}

/** Whether a pattern has default values. */
function hasDefault(id: AnyNode): boolean {
  let found = false
  everyNode(id, ({ type }) => {
    found ||= type === 'AssignmentPattern'
  })
  return found
}

/** Whether an expression is an awaited tool call. */
function isResult(node: AnyNode, flow: Flow): boolean {
  if (node.type !== 'AwaitExpression' || node.argument.type !== 'CallExpression') return false
  const { callee } = node.argument
  return callee.type === 'MemberExpression' && isOfTools(callee, flow)
}

const plainTypes: ReadonlySet<string> = new Set([
  ...['Literal', 'TemplateLiteral', 'BinaryExpression', 'UnaryExpression', 'UpdateExpression'],
  ...['AwaitExpression', 'ArrayExpression', 'ObjectExpression'],
])
/** Methods that return arrays or primitive values. */
const plainMethods: ReadonlySet<string> = new Set([
  ...['map', 'filter', 'flatMap', 'slice', 'join', 'includes', 'some', 'every', 'indexOf', 'findIndex'],
  ...['trim', 'toLowerCase', 'toUpperCase', 'split', 'replace', 'toFixed', 'toString', 'startsWith'],
])

/** Whether a value is certainly not a promise. */
function isPlain(node: AnyNode, flow: Flow): boolean {
  if (plainTypes.has(node.type)) return true
  if (node.type === 'ChainExpression') return isPlain(node.expression, flow)
  if (node.type === 'CallExpression') {
    const { callee } = node
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || callee.computed)
      return false
    const own = flow.callablesOf(flow.cell(callee)).some(({ kind }) => kind !== 'native')
    return plainMethods.has(callee.property.name) && !own
  }
  let of: AnyNode = node
  while (of.type === 'MemberExpression') {
    of = of.object
    // The program may have stored a promise in this object.
    const binding = of.type === 'Identifier' && flow.names.bindings.get(of)
    const { isWritten, isBlob } = flow.graph.shapeOf(flow.cell(binding || of))
    if (isWritten || isBlob) return false
  }
  if (of.type !== 'Identifier') return of !== node && isResult(of, flow)
  const binding = flow.names.bindings.get(of)
  return binding !== undefined && flow.plain.has(binding)
}

/**
 * Whether an awaited value settles when calls end. If so, other functions continue when those calls end, whatever the
 * value is.
 */
function isPlainWait(node: AnyNode, at: At, flow: Flow): boolean {
  if (node.type !== 'CallExpression') return false
  const { callee, arguments: args } = node
  const [list] = args
  if (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'all' &&
    flow.isOfGlobal(callee, 'Promise')
  ) {
    if (list?.type === 'ArrayExpression')
      return list.elements.every((one) => one?.type === 'Literal' || (one && isPlainWait(one, at, flow)))
    if (list?.type !== 'CallExpression' || list.callee.type !== 'MemberExpression') return false
    const [made] = list.arguments
    const { property, object } = list.callee
    if (property.type !== 'Identifier' || property.name !== 'map' || !made) return false
    if (flow.callablesOf(flow.cell(list.callee)).some(({ kind }) => kind !== 'native')) return false
    followStructure(flow.expression(object, at), flow.timing, flow)
    const isAsync =
      (made.type === 'ArrowFunctionExpression' || made.type === 'FunctionExpression') && made.async
    if (isAsync) return true
    if (made.type === 'ArrowFunctionExpression') return isPlainWait(made.body, at, flow)
    return made.type === 'MemberExpression' && isOfTools(made, flow)
  }
  if (callee.type === 'MemberExpression') return isOfTools(callee, flow)
  if (callee.type !== 'Identifier') return false
  const binding = flow.names.bindings.get(callee)
  const callables = binding ? flow.callablesOf(flow.cell(binding)) : []
  return (
    callables.length > 0 &&
    callables.every((one) => one.kind === 'tool' || (one.kind === 'function' && one.node.async))
  )
}

function isOfTools({ object }: Extract<AnyNode, { type: 'MemberExpression' }>, flow: Flow): boolean {
  return object.type === 'Identifier' && flow.siteOf(object) !== undefined
}
