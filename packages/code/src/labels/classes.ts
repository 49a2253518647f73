import type { AnyNode, BlockStatement } from 'acorn'
import type { Cell } from './cells.js'
import type { At, ClassInfo, Flow } from './flow.js'
import { functionValue, statements, within } from './functions.js'
import { keyOf, writePart } from './members.js'
import type { FunctionNode } from './scopes.js'

type ClassNode = Extract<AnyNode, { type: 'ClassDeclaration' | 'ClassExpression' }>

const infos = new WeakMap<ClassNode, ClassInfo>()

/** Returns a class as a value. The class, its prototype and its objects share one shape. */
export function classValue(node: ClassNode, at: At, flow: Flow): Cell {
  const { graph } = flow
  const cell = flow.cell(node)
  const info = infos.get(node) ?? { kind: 'class', self: cell, fields: flow.infoOf(fieldsOf(node), cell) }
  infos.set(node, info)
  flow.addCallable(cell, info)
  if (node.superClass) {
    const base = flow.expression(node.superClass, at)
    flow.checkBase(base)
    graph.copy(base, cell)
  }
  if (node.id) {
    const binding = flow.names.bindings.get(node.id)
    if (binding) graph.copy(cell, flow.cell(binding))
  }
  // Static members run here, and other fields in the constructor.
  const fields = within(info.fields, flow)
  const inner: At = { ...at, info: { ...at.info, self: cell } }
  for (const member of node.body.body) {
    if (member.type === 'StaticBlock') statements(member.body, inner, flow)
    else if (member.type === 'MethodDefinition') {
      const method = functionValue(member.value, inner, flow, cell)
      if (member.kind === 'constructor') info.construct = flow.infoOf(member.value, cell)
      else writePart(cell, keyOf(member.key, member.computed, at, flow), method, inner, flow)
    } else {
      const key = keyOf(member.key, member.computed, at, flow)
      const place = member.static ? inner : fields
      const value = member.value ? flow.expression(member.value, place) : flow.nothing
      writePart(cell, key, value, place, flow)
    }
  }
  return cell
}

/** Returns a function that evaluates a class's fields. The source contains no such function. */
function fieldsOf({ start, end }: ClassNode): FunctionNode {
  const nothing: BlockStatement = { type: 'BlockStatement', start, end, body: [] }
  const kind = { type: 'ArrowFunctionExpression', expression: false, generator: false, async: false } as const
  return { ...kind, start, end, params: [], body: nothing }
}
