import type { AnyNode, Identifier, ObjectExpression, UnaryExpression } from 'acorn'
import { callExpression, hasOptional, newExpression, taggedTemplate } from './calls.js'
import { anObject, type Cell, type Shape } from './cells.js'
import { classValue } from './classes.js'
import { type At, type Flow, keyName, native, pure, random } from './flow.js'
import { functionValue } from './functions.js'
import { followStructure, keyOf, noFunction, readElements, readPart, writePart } from './members.js'
import { assign } from './patterns.js'
import { pureGlobals, Unclear } from './unclear.js'
import { awaited } from './waits.js'

/** Returns the values that an expression can have. */
export function expression(node: AnyNode, at: At, flow: Flow): Cell {
  const { graph } = flow
  const cell = () => flow.cell(node)
  const value = (of: AnyNode, where = at) => flow.expression(of, where)
  switch (node.type) {
    case 'Literal':
      if ('regex' in node && node.regex) graph.object(cell())
      return cell()
    case 'Identifier':
      return identifier(node, at, flow)
    case 'ThisExpression':
      return at.info.self
    case 'TemplateLiteral':
      return flow.primitive(
        node,
        node.expressions.map((one) => value(one)),
      )
    case 'TaggedTemplateExpression':
      return taggedTemplate(node, at, flow)
    case 'ArrayExpression':
      return array(node, node.elements, at, flow)
    case 'ObjectExpression':
      return object(node, at, flow)
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return functionValue(node, at, flow)
    case 'ClassExpression':
      return classValue(node, at, flow)
    case 'UnaryExpression':
      return unary(node, at, flow)
    case 'BinaryExpression':
      return binary(node, at, flow)
    case 'UpdateExpression': {
      const result = flow.primitive(node, [value(node.argument)])
      assign(node.argument, result, at, flow)
      return result
    }
    case 'AssignmentExpression':
      return assignment(node, at, flow)
    case 'LogicalExpression':
    case 'ConditionalExpression':
      return choice(node, at, flow)
    case 'SequenceExpression':
      return node.expressions.map((one) => value(one)).at(-1) ?? cell()
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return value(node.expression)
    case 'AwaitExpression':
      return awaited(node.argument, at, flow)
    case 'MemberExpression':
      return member(node, at, flow)
    case 'CallExpression':
      return callExpression(node, at, flow)
    case 'NewExpression':
      return newExpression(node, at, flow)
    default:
      throw new Unclear(node.type)
  }
}

function identifier(node: Identifier, at: At, flow: Flow): Cell {
  const { graph } = flow
  const binding = flow.names.bindings.get(node)
  if (binding) {
    const variable = flow.cell(binding)
    const isOwn = binding.owner === at.info.node && !(variable.labels & anObject)
    if (!flow.isConcurrent || at.info.isTop || isOwn) return variable
    // Another function may change the variable or its content before or after this read.
    const read = flow.cell(node)
    graph.copy(variable, read)
    graph.follow(flow.timing, read)
    return read
  }
  const cell = flow.cell(node)
  const site = flow.siteOf(node)
  if (site) {
    const tools = graph.object(cell)
    flow.addCallable(graph.find(tools).rest, site)
  } else if (pureGlobals.has(node.name)) flow.addCallable(cell, pure)
  else if (!['undefined', 'NaN', 'Infinity'].includes(node.name)) flow.addCallable(cell, native)
  return cell
}

function array(node: AnyNode, elements: readonly (AnyNode | null)[], at: At, flow: Flow): Cell {
  const { graph } = flow
  const cell = flow.cell(node)
  const shape = graph.object(cell)
  let isSpread = false
  for (const [index, element] of elements.entries()) {
    if (!element) continue
    if (element.type === 'SpreadElement') {
      isSpread = true
      const list = flow.expression(element.argument, at)
      readElements(list, graph.find(shape).rest, at, flow)
      followStructure(list, graph.find(shape).structure, flow)
    } else {
      const value = flow.expression(element, at)
      graph.copy(value, isSpread ? graph.find(shape).rest : graph.field(shape, String(index)))
    }
  }
  return cell
}

function object(node: ObjectExpression, at: At, flow: Flow): Cell {
  const { graph } = flow
  const cell = flow.cell(node)
  const isNew = cell.labels === 0n
  const shape = graph.object(cell)
  const spreads = node.properties.map(({ type }) => type === 'SpreadElement')
  const written = new Set(
    node.properties
      .slice(spreads.lastIndexOf(true) + 1)
      .flatMap((one) => (one.type === 'Property' ? (keyName(one.key, one.computed) ?? []) : [])),
  )
  if (isNew && spreads.includes(true)) shape.written = written
  // The fields exist whenever the object does. Conditions are recorded where the object is stored.
  const free = { ...at, pc: flow.nothing }
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      spreadInto(shape, flow.expression(property.argument, at), written, flow)
      continue
    }
    const key = keyOf(property.key, property.computed, at, flow)
    const value = flow.expression(property.value, at)
    writePart(cell, key, value, free, flow)
  }
  return cell
}

/** Copies the parts of a value into an object, except the parts that the object literal sets after the spread. */
function spreadInto(to: Shape, value: Cell, written: ReadonlySet<string>, flow: Flow): void {
  const { graph } = flow
  const from = graph.shapeOf(value)
  const { fields, rest, spread } = graph.find(from)
  for (const [name, cell] of [...fields]) {
    if (written.has(name)) continue
    const field = graph.field(to, name)
    graph.read(cell, from, field)
    graph.part(value, field)
  }
  for (const cell of [rest, spread]) graph.read(cell, from, graph.find(to).spread)
  graph.part(value, graph.find(to).spread)
  followStructure(value, graph.find(to).structure, flow)
}

function unary(node: UnaryExpression, at: At, flow: Flow): Cell {
  const { operator, argument } = node
  if (operator !== 'delete') {
    const isShallow = operator === '!' || operator === 'typeof' || operator === 'void'
    return flow.primitive(node, [flow.expression(argument, at)], !isShallow)
  }
  const target = argument.type === 'ChainExpression' ? argument.expression : argument
  const cell = flow.cell(node)
  if (target.type === 'MemberExpression') {
    const of = flow.expression(target.object, at)
    const inner = hasOptional(target) ? flow.under(target, at, [of]) : at
    const key = keyOf(target.property, target.computed, inner, flow)
    // Errors' stack traces contain the names of functions.
    if (key === 'name') noFunction(of, 'another name of a function', flow)
    writePart(of, key, flow.nothing, inner, flow)
    // The result depends on whether the property can be deleted.
    followStructure(of, cell, flow)
    if (typeof key !== 'string') flow.graph.followAll(key.values, cell)
  } else if (target.type === 'Identifier') assign(target, flow.nothing, at, flow)
  else flow.expression(target, at)
  return cell
}

function binary(node: Extract<AnyNode, { type: 'BinaryExpression' }>, at: At, flow: Flow): Cell {
  const { operator, left, right } = node
  if (operator === 'in') {
    const of = flow.expression(right, at)
    const cell = flow.primitive(node, left.type === 'PrivateIdentifier' ? [] : [flow.expression(left, at)])
    followStructure(of, cell, flow)
    return cell
  }
  const values = [left, right].map((one) => flow.expression(one, at))
  const isNothing = (one: AnyNode) => one.type === 'Literal' && one.value === null
  const isEqual = operator === '==' || operator === '!='
  const isShallow =
    operator === '===' ||
    operator === '!==' ||
    operator === 'instanceof' ||
    (isEqual && [left, right].some(isNothing))
  return flow.primitive(node, values, !isShallow)
}

function assignment(node: Extract<AnyNode, { type: 'AssignmentExpression' }>, at: At, flow: Flow): Cell {
  const { operator, left, right } = node
  const { graph } = flow
  if (operator === '=') {
    const value = flow.expression(right, at)
    assign(left, value, at, flow)
    return value
  }
  const old = flow.expression(left, at)
  if (operator === '&&=' || operator === '||=' || operator === '??=') {
    const inner = flow.under(node, at, [old])
    const value = flow.expression(right, inner)
    assign(left, value, inner, flow)
    const cell = flow.cell(node)
    for (const one of [old, value]) graph.copy(one, cell)
    graph.follow(old, cell)
    return cell
  }
  const result = flow.primitive(node, [old, flow.expression(right, at)])
  assign(left, result, at, flow)
  return result
}

function choice(
  node: Extract<AnyNode, { type: 'LogicalExpression' | 'ConditionalExpression' }>,
  at: At,
  flow: Flow,
): Cell {
  const isLogical = node.type === 'LogicalExpression'
  const test = flow.expression(isLogical ? node.left : node.test, at)
  const inner = flow.under(node, at, [test])
  const cell = flow.cell(node)
  const values = isLogical
    ? [test, flow.expression(node.right, inner)]
    : [node.consequent, node.alternate].map((one) => flow.expression(one, inner))
  for (const one of values) flow.graph.copy(one, cell)
  flow.graph.follow(test, cell)
  return cell
}

function member(node: Extract<AnyNode, { type: 'MemberExpression' }>, at: At, flow: Flow): Cell {
  if (node.object.type === 'Super') {
    const cell = flow.cell(node)
    readPart(at.info.self, keyOf(node.property, node.computed, at, flow), cell, at, flow)
    return cell
  }
  const of = flow.expression(node.object, at)
  const inner = hasOptional(node) ? flow.under(node, at, [of]) : at
  const key = keyOf(node.property, node.computed, inner, flow)
  const cell = flow.cell(node)
  const { object } = node
  const isMath = object.type === 'Identifier' && object.name === 'Math' && !flow.names.bindings.has(object)
  if (isMath && key === 'random') flow.addCallable(cell, random)
  else readPart(of, key, cell, at, flow)
  return cell
}
