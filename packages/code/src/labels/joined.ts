// Calls whose promises are awaited at once: an error of the function is an error of the place that calls it.

import type { AnyNode, ArrowFunctionExpression } from 'acorn'
import { childrenOf } from './parse.js'
import { isFunction } from './scopes.js'

/** Returns the calls whose promises are awaited, returned or dropped where they are made. */
export function joinedIn(program: ArrowFunctionExpression): ReadonlySet<AnyNode> {
  const found = new Set<AnyNode>()
  const visit = (node: AnyNode, isAsync: boolean): void => {
    if (node.type === 'AwaitExpression') join(node.argument, found)
    // Nothing can catch an error of a promise that nobody has.
    if (node.type === 'ExpressionStatement') join(node.expression, found)
    if (node.type === 'ReturnStatement' && isAsync && node.argument) join(node.argument, found)
    if (node.type === 'ArrowFunctionExpression' && node.async) join(node.body, found)
    const inner = isFunction(node) ? node.async : isAsync
    for (const child of childrenOf(node)) visit(child, inner)
  }
  visit(program, true)
  return found
}

function join(node: AnyNode, found: Set<AnyNode>): void {
  if (node.type === 'ConditionalExpression')
    for (const one of [node.consequent, node.alternate]) join(one, found)
  if (node.type === 'LogicalExpression') join(node.right, found)
  if (node.type !== 'CallExpression') return
  found.add(node)
  const { callee, arguments: args } = node
  const [first] = args
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || !first) return
  const { name } = callee.property
  if (name === 'all' && first.type === 'ArrayExpression')
    for (const one of first.elements) if (one) join(one, found)
  if (name === 'all') join(first, found)
  if (name === 'map' && first.type === 'ArrowFunctionExpression' && !first.async) join(first.body, found)
}
