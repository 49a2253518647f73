import type { AnyNode } from 'acorn'
import type { Cell } from './cells.js'
import type { At, Flow } from './flow.js'
import { followStructure, keyOf, readAny, readElements, readPart, writePart } from './members.js'
import { Unclear } from './unclear.js'

/** Assigns a value to a variable, a part of an object, or the names in a pattern. */
export function assign(target: AnyNode, value: Cell, at: At, flow: Flow): void {
  const { graph } = flow
  switch (target.type) {
    case 'Identifier': {
      const binding = flow.names.bindings.get(target)
      if (!binding) return
      const variable = flow.cell(binding)
      flow.mayFail(flow.cell(binding, 'declared'), at)
      if (binding.owner === at.info.node) {
        graph.copy(value, variable)
        graph.follow(at.pc, variable)
      } else flow.store(value, variable, at)
      return
    }
    case 'MemberExpression': {
      const of = target.object.type === 'Super' ? at.info.self : flow.expression(target.object, at)
      const key = keyOf(target.property, target.computed, at, flow)
      writePart(of, key, value, at, flow)
      return
    }
    case 'AssignmentPattern': {
      const inner = flow.under(target, at, [value])
      const both = flow.cell(target)
      graph.copy(value, both)
      graph.copy(flow.expression(target.right, inner), both)
      graph.follow(value, both)
      assign(target.left, both, at, flow)
      return
    }
    case 'ArrayPattern':
      assignElements(target, value, at, flow)
      return
    case 'ObjectPattern':
      assignFields(target, value, at, flow)
      return
    case 'ParenthesizedExpression':
      assign(target.expression, value, at, flow)
      return
    default:
      throw new Unclear(target.type)
  }
}

function assignElements(
  { elements }: Extract<AnyNode, { type: 'ArrayPattern' }>,
  value: Cell,
  at: At,
  flow: Flow,
): void {
  const taken = flow.cell(value, 'taken')
  readElements(value, taken, at, flow)
  flow.mayFail(value, at)
  for (const [index, element] of elements.entries()) {
    if (!element) continue
    const part = flow.cell(element, 'part')
    if (element.type === 'RestElement') {
      const list = flow.graph.object(part)
      readElements(value, flow.graph.find(list).rest, at, flow)
      followStructure(value, flow.graph.find(list).structure, flow)
      assign(element.argument, part, at, flow)
    } else {
      readPart(value, String(index), part, at, flow)
      followStructure(value, part, flow)
      flow.mayFail(part, at)
      assign(element, part, at, flow)
    }
  }
}

function assignFields(
  { properties }: Extract<AnyNode, { type: 'ObjectPattern' }>,
  value: Cell,
  at: At,
  flow: Flow,
): void {
  flow.mayFail(value, at)
  for (const property of properties) {
    const part = flow.cell(property, 'part')
    if (property.type === 'RestElement') {
      const rest = flow.graph.object(part)
      readAny(value, flow.graph.find(rest).rest, flow)
      followStructure(value, flow.graph.find(rest).structure, flow)
      assign(property.argument, part, at, flow)
    } else {
      readPart(value, keyOf(property.key, property.computed, at, flow), part, at, flow)
      flow.mayFail(part, at)
      assign(property.value, part, at, flow)
    }
  }
}
