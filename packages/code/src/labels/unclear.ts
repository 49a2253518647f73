import type { AnyNode, ArrowFunctionExpression, Identifier } from 'acorn'
import { childrenOf } from './parse.js'
import { isFunction, type Names } from './scopes.js'

/** Thrown if the analysis cannot follow what a program does. Any value could then be anywhere. */
export class Unclear extends Error {}

/** Built-in functions that return primitive values and change nothing. */
export const pureGlobals: ReadonlySet<string> = new Set([
  ...['Number', 'String', 'Boolean', 'BigInt', 'parseInt', 'parseFloat', 'isNaN', 'isFinite'],
  ...['encodeURI', 'encodeURIComponent', 'decodeURI', 'decodeURIComponent', 'escape', 'unescape'],
])

const errors = [
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'AggregateError',
]

/** Built-ins that a program may only call, construct, test with `instanceof`, or read members of. */
const globals: ReadonlySet<string> = new Set([
  ...[...pureGlobals, ...errors, 'undefined', 'NaN', 'Infinity', 'tools', 'console', 'Math', 'JSON'],
  ...['Object', 'Array', 'Promise', 'Map', 'Set', 'WeakMap', 'WeakSet', 'RegExp', 'Date'],
])

/** Other built-ins. A program that assigns one of these names may still get the built-in value. */
const otherGlobals: ReadonlySet<string> = new Set([
  ...[
    'arguments',
    'globalThis',
    'Function',
    'eval',
    'Symbol',
    'Proxy',
    'Reflect',
    'Iterator',
    'InternalError',
  ],
  ...['ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array'],
  ...['Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array'],
  ...['Float64Array', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'DOMException'],
  ...['queueMicrotask', 'performance', 'navigator'],
])

/** Names that a program may use anywhere: three constants, and `tools`, which the analysis follows. */
const constants: ReadonlySet<string> = new Set(['undefined', 'NaN', 'Infinity', 'tools'])

/** Members that affect what other operations call or read. */
const members: ReadonlySet<string> = new Set([
  ...['__proto__', 'prototype', 'constructor', '__defineGetter__', '__defineSetter__', '__lookupGetter__'],
  ...['__lookupSetter__', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'getPrototypeOf', 'create'],
  ...['getOwnPropertySymbols', 'getOwnPropertyDescriptor', 'getOwnPropertyDescriptors', 'caller', 'callee'],
])

/** Names under which operators, `await` or built-in functions call a program's functions. */
const hooks: ReadonlySet<string> = new Set([
  ...['toString', 'toLocaleString', 'valueOf', 'toJSON', 'then', 'exec', 'join', 'flags'],
])

/** @throws Unclear if a program does something that the analysis cannot follow */
export function checkClear(program: ArrowFunctionExpression, { bindings, free, assigned }: Names): void {
  for (const name of assigned)
    if (globals.has(name) || otherGlobals.has(name)) throw new Unclear(`another value for ${name}`)
  // A variable with this name initially contains the function's arguments.
  for (const { name } of bindings.keys()) if (name === 'arguments') throw new Unclear('the name arguments')
  for (const { name } of free) if (!globals.has(name)) throw new Unclear(`the name ${name}`)
  check(program, undefined, new Set(free))
}

function check(node: AnyNode, parent: AnyNode | undefined, free: ReadonlySet<Identifier>): void {
  const what = unclearIn(node, parent, free)
  if (what !== undefined) throw new Unclear(what)
  for (const child of childrenOf(node)) check(child, node, free)
}

function unclearIn(
  node: AnyNode,
  parent: AnyNode | undefined,
  free: ReadonlySet<Identifier>,
): string | undefined {
  switch (node.type) {
    case 'WithStatement':
      return 'with'
    case 'MetaProperty':
      return 'new.target'
    case 'ImportExpression':
      return 'import()'
    case 'YieldExpression':
      return 'a generator'
    case 'Identifier':
      return free.has(node) && !constants.has(node.name) && !isPlainUse(node, parent)
        ? `${node.name} as a value`
        : undefined
    case 'MemberExpression':
      if (parent?.type !== 'CallExpression' || parent.callee !== node) {
        const name = memberName(node.property, node.computed, hooks)
        if (name !== undefined) return name
      }
      return memberName(node.property, node.computed, members)
    case 'Property':
      if (node.kind !== 'init') return 'a getter or setter'
      return memberName(node.key, node.computed, members) ?? hookName(node.key, node.computed, parent)
    case 'PropertyDefinition':
    case 'MethodDefinition':
      // Errors' stack traces contain the names of classes.
      if (node.static && isNameOrUnknown(node.key, node.computed)) return 'the name of a class'
      if (node.type === 'MethodDefinition' && (node.kind === 'get' || node.kind === 'set'))
        return 'a getter or setter'
      if (node.type === 'MethodDefinition' && node.kind === 'constructor') return undefined
      return memberName(node.key, node.computed, members) ?? memberName(node.key, node.computed, hooks)
    default:
      return isFunction(node) && node.generator ? 'a generator' : undefined
  }
}

function isNameOrUnknown(key: AnyNode, isComputed: boolean): boolean {
  if (key.type === 'Literal') return key.value === 'name'
  return isComputed || (key.type === 'Identifier' && key.name === 'name')
}

/**
 * Returns the name of an object's property if the name is in `hooks`. Undefined in a pattern, which defines no
 * properties.
 */
function hookName(key: AnyNode, isComputed: boolean, parent: AnyNode | undefined): string | undefined {
  return parent?.type === 'ObjectExpression' ? memberName(key, isComputed, hooks) : undefined
}

function memberName(key: AnyNode, isComputed: boolean, names: ReadonlySet<string>): string | undefined {
  const name =
    key.type === 'Identifier' && !isComputed ? key.name : key.type === 'Literal' ? String(key.value) : ''
  return names.has(name) ? name : undefined
}

/**
 * Whether this use of a built-in only calls it, constructs it, tests `instanceof` or reads one of its members. Pure
 * functions may also be passed as arguments, and error classes extended.
 */
function isPlainUse(node: Identifier, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node && (!parent.computed || parent.property.type === 'Literal')
    case 'CallExpression':
      return parent.callee === node || pureGlobals.has(node.name)
    case 'NewExpression':
      return parent.callee === node
    case 'BinaryExpression':
      return parent.operator === 'instanceof' && parent.right === node
    case 'ClassDeclaration':
    case 'ClassExpression':
      return parent.superClass === node && errors.includes(node.name)
    default:
      return false
  }
}

/**
 * Returns the functions that use `this` and are not in a class. When such a function is called without an object,
 * `this` is the global object.
 * @throws Unclear if the program itself uses `this`
 */
export function usersOfThis(program: ArrowFunctionExpression): ReadonlySet<AnyNode> {
  const found = new Set<AnyNode>()
  const visit = (node: AnyNode, owner: AnyNode | 'class' | undefined): void => {
    if (node.type === 'ThisExpression') {
      if (owner === undefined) throw new Unclear('this of the program')
      if (owner !== 'class') found.add(owner)
    }
    const isOwn = node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression'
    const inner = owner === 'class' || node.type === 'ClassBody' ? 'class' : isOwn ? node : owner
    for (const child of childrenOf(node)) visit(child, inner)
  }
  visit(program, undefined)
  return found
}

/** Returns the constructors, and the functions that `new` can call, which may return another object than `this`. */
export function replacersOfThis(program: ArrowFunctionExpression): ReadonlySet<AnyNode> {
  const found = new Set<AnyNode>()
  const visit = (node: AnyNode, owner: AnyNode | undefined): void => {
    if (node.type === 'ReturnStatement' && node.argument && owner) found.add(owner)
    const isMethod =
      (node.type === 'Property' && node.method) ||
      (node.type === 'MethodDefinition' && node.kind !== 'constructor')
    for (const child of childrenOf(node)) {
      const isOwn = isFunction(child) && child.type !== 'ArrowFunctionExpression' && !child.async
      // Only methods have a function that `new` cannot call as their value.
      if (isFunction(child)) visit(child, isOwn && !(isMethod && child === node.value) ? child : undefined)
      else visit(child, owner)
    }
  }
  visit(program, undefined)
  return found
}
