import type { AnyNode } from 'acorn'
import type { Cell } from './cells.js'
import { type At, type ClassInfo, type Flow, keyName } from './flow.js'
import { functionValue, statements } from './functions.js'
import { keyOf, writePart } from './members.js'

type ClassNode = Extract<AnyNode, { type: 'ClassDeclaration' | 'ClassExpression' }>

const infos = new WeakMap<ClassNode, ClassInfo>()

/** Returns a class as a value. Its objects, its prototype and the class itself are one. */
export function classValue(node: ClassNode, at: At, flow: Flow): Cell {
  const { graph } = flow
  const cell = flow.cell(node)
  const info = infos.get(node) ?? { kind: 'class', self: cell }
  infos.set(node, info)
  flow.addCallable(cell, info)
  if (node.superClass) graph.copy(flow.expression(node.superClass, at), cell)
  if (node.id) {
    const binding = flow.names.bindings.get(node.id)
    if (binding) graph.copy(cell, flow.cell(binding))
  }
  // Fields and static blocks run as the class or its constructor does.
  const inner: At = { ...at, info: { ...at.info, self: cell } }
  for (const member of node.body.body) {
    if (member.type === 'StaticBlock') statements(member.body, inner, flow)
    else if (member.type === 'MethodDefinition') {
      const method = functionValue(member.value, inner, flow, cell)
      if (member.kind === 'constructor') info.construct = flow.infoOf(member.value, cell)
      else writePart(cell, keyOf(member.key, member.computed, at, flow), method, inner, flow)
    } else {
      const key = keyOf(member.key, member.computed, at, flow)
      if (member.value) writePart(cell, key, flow.expression(member.value, inner), inner, flow)
      else if (keyName(member.key, member.computed) === undefined) graph.follow(at.pc, cell)
    }
  }
  return cell
}
