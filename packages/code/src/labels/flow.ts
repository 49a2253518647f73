// Shared by all parts of the analysis: a program's cells and functions, and the context of an evaluation.

import type { AnyNode, ArrowFunctionExpression, Identifier } from 'acorn'
import { anObject, aPart, Cell, Graph, kindCount, type Labels, type Shape } from './cells.js'
import { everyNode } from './parse.js'
import { type Binding, type FunctionNode, type Names, namesOf } from './scopes.js'
import { replacersOfThis, Unclear, usersOfThis } from './unclear.js'

/** A function in a program. It is analysed once, for all calls to it. */
export interface FunctionInfo {
  readonly kind: 'function'
  readonly node: FunctionNode
  /** The values of its parameters, by position. A rest parameter's cell contains the values of its elements. */
  readonly params: readonly Cell[]
  /** The labels that determine how many arguments a call passes. */
  readonly count: Cell
  readonly self: Cell
  readonly returns: Cell
  /** The labels of the conditions under which the function is called. */
  readonly pc: Cell
  /** The labels of the conditions under which the function throws. */
  readonly throws: Cell
  /** The labels of everything that the function evaluates, since any part of it may throw. */
  readonly heard: Cell
  readonly isTop: boolean
}

/** An occurrence of `tools` in the source, and the tool that is called there. */
export interface ToolSite {
  readonly kind: 'tool'
  readonly index: number
  readonly args: Cell
  readonly pc: Cell
  readonly result: Cell
}

/**
 * A built-in function. `pure` changes nothing, `random` is `Math.random`, and `native` is any other known function.
 * `unknown` is a function whose name is not known.
 */
export interface EngineFunction {
  readonly kind: 'pure' | 'random' | 'native' | 'unknown'
}

/** A class. The class, its prototype and its instances share one shape. */
export interface ClassInfo {
  readonly kind: 'class'
  readonly self: Cell
  /** The function that evaluates the fields of instances. */
  readonly fields: FunctionInfo
  /** The class's own constructor, if it declares one. */
  construct?: FunctionInfo | undefined
}

export type Callable = FunctionInfo | ToolSite | EngineFunction | ClassInfo

export const pure: EngineFunction = { kind: 'pure' }
export const random: EngineFunction = { kind: 'random' }
export const native: EngineFunction = { kind: 'native' }
export const unknown: EngineFunction = { kind: 'unknown' }

/** A statement that can be left early, and the labels of the conditions for leaving it. */
export interface Frame {
  readonly kind: 'statement' | 'loop' | 'switch' | 'try' | 'label'
  readonly label?: string
  readonly exits: Cell
  readonly outer: Frame | undefined
}

/** The context in which a node is analysed. */
export interface At {
  readonly info: FunctionInfo
  /** The labels of the conditions that apply here. */
  readonly pc: Cell
  /**
   * Receives the labels of everything that is evaluated in the innermost try block or, outside one, in the function.
   */
  readonly heard: Cell
  readonly frame: Frame | undefined
}

/** The arguments of a call. `cells` contains the arguments before the first spread, and `more` contains the rest. */
export interface Args {
  readonly cells: readonly Cell[]
  /** The elements of spread arguments, and every argument after the first spread. */
  readonly more?: Cell | undefined
}

/** The functions that analyse nodes. They are passed to `Flow`, because importing them would create a cycle. */
export interface Parts {
  expression(node: AnyNode, at: At, flow: Flow): Cell
  statement(node: AnyNode, at: At, flow: Flow): void
}

export class Flow {
  readonly graph = new Graph()
  readonly names: Names
  /** All values that the program may throw. */
  readonly thrown = new Cell()
  /** The labels of everything in functions whose errors become promise rejections. */
  readonly rejections = new Cell()
  /** The labels of everything that affects the order in which concurrent functions continue. */
  readonly timing = new Cell()
  /** A cell without labels. */
  readonly nothing = new Cell()
  /** The labels that affect how often `Math.random` has been called. */
  readonly random = new Cell()
  /**
   * Values that the program writes into parts of tool results. The analysis does not know into which parts, so any part
   * of a result may contain these values.
   */
  readonly data = new Cell()
  readonly sites: readonly ToolSite[]
  /** Variables that contain tool results. These are never promises and never contain any. */
  readonly plain = new Set<Binding>()
  /** Whether the program may have iterators. The functions of iterators run later. */
  readonly hasIterators: boolean
  /** Whether the program has async functions or promise handlers, which may run concurrently. */
  readonly isConcurrent: boolean
  /**
   * Which functions' errors may be handled as promise rejections: no function's, only those of async functions, or
   * every function's.
   */
  readonly handles: 'none' | 'async' | 'all'
  /** Whether these are the last passes, in which functions that are still unknown are treated as built-in. */
  isLate = false
  readonly #cells = new Map<unknown, Map<string, Cell>>()
  readonly #infos = new Map<FunctionNode, FunctionInfo>()
  readonly #siteOf: ReadonlyMap<Identifier, ToolSite>
  readonly #usersOfThis: ReadonlySet<AnyNode>
  readonly #replacers: ReadonlySet<AnyNode>
  readonly #parts: Parts

  constructor(program: ArrowFunctionExpression, parts: Parts) {
    this.#parts = parts
    this.names = namesOf(program)
    this.#usersOfThis = usersOfThis(program)
    this.#replacers = replacersOfThis(program)
    const found = toolNames(this.names)
    this.sites = found.map((_, index) => ({
      kind: 'tool',
      index,
      args: new Cell(),
      pc: new Cell(),
      result: new Cell(),
    }))
    this.#siteOf = new Map(found.map((name, at) => [name, this.sites[at] as ToolSite]))
    const members = new Set<string>()
    let hasAsync = false
    everyNode(program, (node) => {
      if (node.type === 'MemberExpression' && !this.isOfGlobal(node, 'Object'))
        members.add(keyName(node.property, node.computed) ?? '')
      if (node.type === 'Property') members.add(keyName(node.key, node.computed) ?? '')
      if (node.type.includes('Function') && 'async' in node && node.async && node !== program) hasAsync = true
    })
    const some = (...names: readonly string[]) => names.some((name) => members.has(name))
    const hasHandlers = some('then', 'catch', 'finally')
    this.isConcurrent = hasAsync || hasHandlers
    this.hasIterators = some('values', 'entries', 'keys', 'matchAll')
    this.handles = hasHandlers ? 'all' : some('allSettled', 'any', 'race') ? 'async' : 'none'
  }

  /** Returns the cell for a node or another key, and creates it if needed. Each purpose has a separate cell. */
  cell(of: unknown, purpose = 'value'): Cell {
    let own = this.#cells.get(of)
    if (!own) {
      own = new Map()
      this.#cells.set(of, own)
    }
    let cell = own.get(purpose)
    if (!cell) {
      cell = new Cell()
      own.set(purpose, cell)
      this.graph.hasChanged = true
    }
    return cell
  }

  /** Analyses an expression and returns its values. Also adds its labels to the context's `heard`. */
  expression(node: AnyNode, at: At): Cell {
    this.graph.spend()
    const cell = this.#parts.expression(node, at, this)
    this.graph.follow(cell, at.heard)
    return cell
  }

  statement(node: AnyNode, at: At): void {
    this.#parts.statement(node, at, this)
  }

  /** Whether a member expression accesses this built-in object. */
  isOfGlobal({ object }: Extract<AnyNode, { type: 'MemberExpression' }>, name: string): boolean {
    return object.type === 'Identifier' && object.name === name && !this.names.bindings.has(object)
  }

  siteOf(name: Identifier): ToolSite | undefined {
    return this.#siteOf.get(name)
  }

  infoOf(node: FunctionNode, self: Cell, isTop = false): FunctionInfo {
    const known = this.#infos.get(node)
    if (known) return known
    const made = ['returns', 'pc', 'throws', 'heard', 'count'].map((purpose) => this.cell(node, purpose))
    const [returns, pc, throws, heard, count] = made as [Cell, Cell, Cell, Cell, Cell]
    const params = node.params.map((_, at) => this.cell(node, `param${at}`))
    const own = { params, count, self, returns, pc, throws, heard }
    const info: FunctionInfo = { kind: 'function', node, ...own, isTop }
    this.#infos.set(node, info)
    return info
  }

  callablesOf(cell: Cell): readonly Callable[] {
    if (!(cell.labels & anObject)) return []
    const { callables } = this.graph.shapeOf(cell)
    for (const _ of callables) this.graph.spend()
    return [...callables] as Callable[]
  }

  addCallable(cell: Cell, callable: Callable): Shape {
    const shape = this.graph.object(cell)
    if (!shape.callables.has(callable)) {
      shape.callables.add(callable)
      this.graph.hasChanged = true
    }
    return shape
  }

  /** @throws Unclear if a function with `this` is called without an object, or with an arbitrary value */
  checkThis({ node }: FunctionInfo): void {
    if (this.#usersOfThis.has(node)) throw new Unclear('this of a function without an object')
  }

  /** @throws Unclear if a class may extend a constructor that returns another object, which then gets its fields */
  checkBase(base: Cell): void {
    for (const callable of this.callablesOf(base)) {
      const node = callable.kind === 'class' ? callable.construct?.node : 'node' in callable && callable.node
      if (node && this.#replacers.has(node))
        throw new Unclear('a class that extends a constructor with a return value')
    }
  }

  /** Returns the context of code that runs only under a condition on the values in `causes`. */
  under(node: unknown, at: At, causes: readonly Cell[], purpose = 'under'): At {
    const pc = this.cell(node, purpose)
    for (const cause of [at.pc, ...causes]) this.graph.follow(cause, pc)
    this.graph.follow(pc, at.heard)
    return { ...at, pc }
  }

  /**
   * Records that a program changes a value. In the last passes, the value receives `data`, because it may be part of a
   * tool result. A value that is certainly an object that the program created does not receive `data`.
   */
  open(value: Cell): void {
    const isOwn = value.labels & anObject && !(value.labels & aPart)
    if (!this.isLate || (isOwn && !this.graph.shapeOf(value).isBlob)) return
    this.graph.collapse(this.graph.object(this.data))
    this.graph.copy(this.data, value)
  }

  /** Records that an operation may throw because of what a value is. */
  mayFail(value: Cell, { heard }: At): void {
    this.graph.follow(value, heard)
  }

  /** Copies a value to a cell, and records the conditions under which this happens. */
  store(value: Cell, to: Cell, at: At): void {
    this.graph.copy(value, to)
    this.mark(to, at)
  }

  /** Marks a cell as changed under the conditions of a context. */
  mark(to: Cell, { pc, info }: At): void {
    this.graph.follow(pc, to)
    if (this.isConcurrent && !info.isTop) this.graph.follow(this.timing, to)
  }

  /** Records that a context's conditions affect when other functions continue. */
  waits({ pc }: At): void {
    if (this.isConcurrent) this.graph.follow(pc, this.timing)
  }

  /**
   * Records a jump in each enclosing statement, up to the jump's target. `labels` contains the labels of the conditions
   * for the jump.
   */
  leave(
    labels: Cell,
    jump: { readonly kind: 'break' | 'continue' | 'return' | 'throw'; readonly label?: string },
    at: At,
  ): void {
    for (let frame = at.frame; frame; frame = frame.outer) {
      this.graph.follow(labels, frame.exits)
      const { kind, label } = frame
      if (jump.kind === 'throw' && kind === 'try') return
      if (jump.label !== undefined ? label === jump.label : endsAt(jump.kind, kind)) return
    }
    if (jump.kind === 'throw') this.graph.follow(labels, at.info.throws)
  }

  /**
   * Returns a primitive value that is computed from other values. With `isDeep`, it depends on everything that these
   * values contain.
   */
  primitive(node: unknown, from: readonly Cell[], isDeep = true): Cell {
    const cell = this.cell(node)
    for (const one of from) {
      if (isDeep) this.graph.followAll(one, cell)
      else this.graph.follow(one, cell)
    }
    return cell
  }
}

function endsAt(jump: string, frame: Frame['kind']): boolean {
  return frame === 'loop' ? jump === 'break' || jump === 'continue' : frame === 'switch' && jump === 'break'
}

/** Returns the occurrences of `tools` that refer to the engine's tools, in source order. */
export function toolNames({ free }: Names): readonly Identifier[] {
  return free.filter(({ name }) => name === 'tools').sort((a, b) => a.start - b.start)
}

/** Returns the label of a tool call in the source. */
export function labelsOf({ index }: ToolSite): Labels {
  return 1n << (BigInt(index) + kindCount)
}

/** Returns the name of a property key. Undefined if it is computed and not a literal. */
export function keyName(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === 'PrivateIdentifier') return `#${key.name}`
  if (key.type === 'Identifier' && !isComputed) return key.name
  return key.type === 'Literal' && !('regex' in key && key.regex) ? String(key.value) : undefined
}
