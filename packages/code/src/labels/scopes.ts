import type { AnyNode, ArrowFunctionExpression, Identifier } from 'acorn'
import { childrenOf } from './parse.js'

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>

/** A variable in a program. All names that refer to it share one object. */
export interface Binding {
  readonly name: string
  /** The function that declares the variable. */
  readonly owner: FunctionNode
}

/** The variable that each name in a program refers to. All other names, which are in `free`, belong to the engine. */
export interface Names {
  readonly bindings: ReadonlyMap<Identifier, Binding>
  readonly free: readonly Identifier[]
  /** Names that the program may assign but does not declare. These are global variables of the program. */
  readonly assigned: ReadonlySet<string>
}

/** Finds the variable that each name in a program refers to. */
export function namesOf(program: ArrowFunctionExpression): Names {
  const resolver = new Resolver(program)
  resolver.function(program, undefined)
  const assigned = new Map(resolver.blockFunctions)
  for (const { name } of resolver.assigned)
    if (!assigned.has(name)) assigned.set(name, { name, owner: program })
  const free: Identifier[] = []
  for (const one of resolver.free) {
    const found = assigned.get(one.name)
    if (found) resolver.bindings.set(one, found)
    else free.push(one)
  }
  return { bindings: resolver.bindings, free, assigned: new Set(assigned.keys()) }
}

interface Scope {
  readonly names: Map<string, Binding>
  readonly owner: FunctionNode
  /**
   * Whether this is a function's scope, which also contains the `var` declarations and functions of the blocks in it.
   */
  readonly isFunction: boolean
  readonly parent: Scope | undefined
}

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  )
}

class Resolver {
  readonly bindings = new Map<Identifier, Binding>()
  readonly free: Identifier[] = []
  /** Names that the program assigns but does not declare. */
  readonly assigned: Identifier[] = []
  /** The variables of functions that are declared in blocks, by name, if no enclosing function declares the name. */
  readonly blockFunctions = new Map<string, Binding>()
  readonly #program: FunctionNode

  constructor(program: FunctionNode) {
    this.#program = program
  }

  function(node: FunctionNode, parent: Scope | undefined): void {
    const scope: Scope = { names: new Map(), owner: node, isFunction: true, parent }
    if (node.type === 'FunctionExpression' && node.id) this.#declare(node.id, scope)
    for (const param of node.params) this.#declarePattern(param, scope)
    // Default values of parameters cannot use names that the body declares.
    for (const param of node.params) this.#walk(param, scope)
    if (node.body.type !== 'BlockStatement') {
      this.#walk(node.body, scope)
      return
    }
    const inner: Scope = { ...scope, names: new Map(scope.names), parent: scope }
    this.#declareAll(node.body.body, inner)
    for (const one of node.body.body) this.#walk(one, inner)
  }

  #walk(node: AnyNode, scope: Scope): void {
    if (node.type === 'Identifier') {
      this.#use(node, scope)
      return
    }
    if (isFunction(node)) {
      if (node.type === 'FunctionDeclaration' && node.id) this.#use(node.id, scope)
      this.function(node, scope)
      return
    }
    const inner = this.#scopeFor(node, scope)
    if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression')
      this.#noteAssigned(node.type === 'AssignmentExpression' ? node.left : node.argument, inner)
    if (
      (node.type === 'ForOfStatement' || node.type === 'ForInStatement') &&
      node.left.type !== 'VariableDeclaration'
    )
      this.#noteAssigned(node.left, inner)
    // The discriminant is evaluated before the cases declare their names.
    const outside = node.type === 'SwitchStatement' ? node.discriminant : undefined
    for (const child of childrenOf(node))
      if (!isKey(child, node)) this.#walk(child, child === outside ? scope : inner)
  }

  /** Returns the scope inside a node, with the names that the node declares. */
  #scopeFor(node: AnyNode, parent: Scope): Scope {
    const own = ['BlockStatement', 'SwitchStatement', 'CatchClause', 'StaticBlock', 'ForStatement'].includes(
      node.type,
    )
    const isLoop = node.type === 'ForOfStatement' || node.type === 'ForInStatement'
    const isClass = node.type === 'ClassDeclaration' || node.type === 'ClassExpression'
    if (!own && !isLoop && !isClass) return parent
    const scope: Scope = {
      names: new Map(),
      owner: parent.owner,
      isFunction: node.type === 'StaticBlock',
      parent,
    }
    if (node.type === 'BlockStatement' || node.type === 'StaticBlock') this.#declareAll(node.body, scope)
    else if (node.type === 'SwitchStatement')
      this.#declareAll(
        node.cases.flatMap(({ consequent }) => consequent),
        scope,
      )
    else if (node.type === 'CatchClause' && node.param) this.#declarePattern(node.param, scope)
    else if (node.type === 'ForStatement' && node.init) this.#declareAll([node.init], scope)
    else if (isLoop) this.#declareAll([node.left], scope)
    else if (isClass && node.id) {
      // The block already declares the name of a class declaration.
      const outer = node.type === 'ClassDeclaration' && this.#find(node.id.name, parent)
      if (outer) scope.names.set(node.id.name, outer)
      else this.#declare(node.id, scope)
    }
    return scope
  }

  /**
   * Declares the names in statements. A `var` name is declared in the enclosing function, and a function's name both in
   * its block and in the enclosing function.
   */
  #declareAll(nodes: readonly AnyNode[], scope: Scope): void {
    for (const node of nodes) {
      if (node.type === 'VariableDeclaration' && node.kind !== 'var')
        for (const { id } of node.declarations) this.#declarePattern(id, scope)
      if (node.type === 'ClassDeclaration' && node.id) this.#declare(node.id, scope)
    }
    if (scope.isFunction) for (const node of nodes) this.#hoist(node, scope)
    for (const node of nodes)
      if (node.type === 'FunctionDeclaration' && node.id) this.#declareFunction(node.id, scope)
  }

  #hoist(node: AnyNode, scope: Scope, isInner = false): void {
    if (node.type === 'FunctionDeclaration' && node.id) {
      if (isInner) this.#declareOfBlock(node.id, scope)
      else this.#declare(node.id, scope)
    }
    if (isFunction(node) || node.type === 'ClassDeclaration' || node.type === 'ClassExpression') return
    if (node.type === 'VariableDeclaration' && node.kind === 'var')
      for (const { id } of node.declarations) this.#declarePattern(id, scope)
    for (const child of childrenOf(node)) this.#hoist(child, scope, true)
  }

  #declarePattern(pattern: AnyNode, scope: Scope): void {
    if (pattern.type === 'Identifier') this.#declare(pattern, scope)
    else if (pattern.type === 'AssignmentPattern') this.#declarePattern(pattern.left, scope)
    else if (pattern.type === 'RestElement') this.#declarePattern(pattern.argument, scope)
    else if (pattern.type === 'Property') this.#declarePattern(pattern.value, scope)
    else if (pattern.type === 'ArrayPattern' || pattern.type === 'ObjectPattern')
      for (const one of childrenOf(pattern)) this.#declarePattern(one, scope)
  }

  #declare({ name }: Identifier, scope: Scope): void {
    if (!scope.names.has(name)) scope.names.set(name, { name, owner: scope.owner })
  }

  /**
   * Declares a block's function in the enclosing function too. Whether JavaScript does this depends on the mode and on
   * other names. The analysis covers both cases by using one variable for all declarations of a name.
   */
  #declareOfBlock({ name }: Identifier, scope: Scope): void {
    if (scope.names.has(name)) return
    const outer = this.#find(name, scope.parent) ?? this.blockFunctions.get(name)
    const binding = outer ?? { name, owner: this.#program }
    if (!outer) this.blockFunctions.set(name, binding)
    scope.names.set(name, binding)
  }

  /** Declares an inner block's function. The block and the enclosing function share its variable. */
  #declareFunction({ name }: Identifier, scope: Scope): void {
    let home: Scope | undefined = scope
    while (home && !home.isFunction) home = home.parent
    scope.names.set(name, home?.names.get(name) ?? { name, owner: scope.owner })
  }

  #find(name: string, scope: Scope | undefined): Binding | undefined {
    for (let at = scope; at; at = at.parent) {
      const found = at.names.get(name)
      if (found) return found
    }
    return undefined
  }

  #use(node: Identifier, scope: Scope): void {
    const found = this.#find(node.name, scope)
    if (found) this.bindings.set(node, found)
    else this.free.push(node)
  }

  #noteAssigned(target: AnyNode, scope: Scope): void {
    if (target.type === 'Identifier') {
      if (!this.#find(target.name, scope)) this.assigned.push(target)
    } else if (target.type === 'AssignmentPattern') this.#noteAssigned(target.left, scope)
    else if (target.type === 'Property') this.#noteAssigned(target.value, scope)
    else if (target.type !== 'MemberExpression')
      for (const one of childrenOf(target)) this.#noteAssigned(one, scope)
  }
}

/** Whether a node is the name of a property or a label, not a variable. */
function isKey(node: AnyNode, parent: AnyNode): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return node === parent.property && !parent.computed
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return node === parent.key && !parent.computed
    case 'LabeledStatement':
      return node === parent.label
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return true
    default:
      return false
  }
}
