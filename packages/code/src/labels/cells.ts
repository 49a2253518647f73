// Tracks where a program's values can come from. A cell represents values, and a shape represents the content of the
// objects among them. Each pass over a program adds edges between cells, until a pass finds no more.

import { Unclear } from './unclear.js'

/** The maximum number of steps in an analysis. That many steps take roughly 0.2 seconds. */
const mostSteps = 300_000
export const tooLarge = 'a program that is too large'

/** The tool calls that values come from, with one bit per call position in the source. */
export type Labels = bigint

/** The label of values that may be objects. Values without this label are primitive and contain no other values. */
export const anObject: Labels = 1n
/** The label of values that may be parts of tool results: objects that the program did not create itself. */
export const aPart: Labels = 2n
const kinds = anObject | aPart
/** The number of labels above. Labels of tool calls use the bits after them. */
export const kindCount = 2n

/** The values that a variable, a field or an expression can have. */
export class Cell {
  labels: Labels = 0n
  /** Cells that receive each value of this one. */
  readonly copies = new Set<Cell>()
  /** Cells whose values depend on this cell's values. They receive its labels but not its objects. */
  readonly follows = new Set<Cell>()
  /** Another cell with the same values. Its shape applies to both. */
  twin: Cell | undefined
  shape: Shape | undefined
}

/** The content of objects. All objects that one cell may contain share a shape. */
export class Shape {
  parent: Shape | undefined
  readonly fields = new Map<string, Cell>()
  /** Elements of arrays, and fields with unknown names. */
  readonly rest = new Cell()
  /**
   * Values that were spread into the object. `written` contains the names of fields that were written after the spread.
   */
  readonly spread = new Cell()
  written: ReadonlySet<string> | undefined
  /** The labels that determine which fields exist, how many, and in what order. */
  readonly structure = new Cell()
  /** Labels that apply to everything in the object, at any depth. */
  readonly all = new Cell()
  /** The labels in `all`, and the labels of everything that can be reached from the object. */
  readonly deep = new Cell()
  /** The pass in which `deep` was computed. */
  deepIn = -1
  /** The functions that an object of this shape may be. */
  readonly callables = new Set<object>()
  /** Whether everything in the object has this shape too. */
  isBlob = false
  /** Whether elements may have moved within an array. If so, all elements share one cell. */
  isMoved = false
  /** Whether the program itself puts values into the object. */
  isWritten = false
}

/** Whether a field's name is the index of an array element. */
export function isElement(name: string): boolean {
  return /^\d+$/.test(name)
}

/** The cells of a program, with the edges between them. */
export class Graph {
  /** Whether this pass has found anything new. */
  hasChanged = false
  #pass = 0
  readonly #labelled = new Set<Cell>()
  steps = 0
  /** The number of edges, which determines how much memory the graph uses. */
  edges = 0

  startPass(): void {
    this.hasChanged = false
    this.#pass += 1
  }

  /**
   * Counts one step. Unlike a time limit, a limit on steps has the same effect on every machine.
   * @throws Unclear after too many steps
   */
  spend(): void {
    this.steps += 1
    if (this.steps > mostSteps) throw new Unclear(tooLarge)
  }

  /** Makes a cell receive each value of another cell. */
  copy(from: Cell, to: Cell): void {
    this.spend()
    if (from === to) return
    if (!from.copies.has(to)) {
      from.copies.add(to)
      this.edges += 1
      this.hasChanged = true
      this.add(to, from.labels & kinds)
    }
    // Objects are shared, so a change through one cell is visible through the other. Primitive values cannot change.
    if (from.labels & anObject) this.unify(this.shapeOf(from), this.shapeOf(to))
  }

  /** Makes a cell receive the labels of another cell. */
  follow(from: Cell, to: Cell): void {
    this.spend()
    if (from === to || from.follows.has(to)) return
    from.follows.add(to)
    this.edges += 1
    this.hasChanged = true
  }

  /**
   * Adds labels to a cell. `anObject` and `aPart` are copied to other cells immediately, all other labels later by
   * `spreadLabels`.
   */
  add(cell: Cell, labels: Labels): void {
    cell.labels |= labels & ~kinds
    if (labels & ~kinds) this.#labelled.add(cell)
    for (const kind of [anObject, aPart]) {
      const open = labels & kind ? [cell] : []
      for (let at = open.pop(); at; at = open.pop()) {
        this.spend()
        if (at.labels & kind) continue
        at.labels |= kind
        this.hasChanged = true
        open.push(...at.copies)
      }
    }
  }

  /**
   * Passes labels on to all cells that depend on a cell. Called when all edges are known, so that many labels are
   * passed on together.
   */
  spreadLabels(): void {
    const fresh = new Map([...this.#labelled].map((cell) => [cell, cell.labels & ~kinds]))
    for (const [cell, labels] of fresh) {
      fresh.delete(cell)
      for (const others of [cell.copies, cell.follows])
        for (const other of others) {
          this.spend()
          const more = labels & ~other.labels
          if (more === 0n) continue
          other.labels |= more
          // Queued after the waiting cells, because more labels may arrive in the meantime.
          fresh.set(other, (fresh.get(other) ?? 0n) | more)
        }
    }
  }

  find(shape: Shape): Shape {
    let top = shape
    while (top.parent) {
      this.spend()
      top = top.parent
    }
    return top
  }

  shapeOf(cell: Cell): Shape {
    const owner = this.#ownerOf(cell)
    owner.shape = owner.shape ? this.find(owner.shape) : new Shape()
    return owner.shape
  }

  /** Follows `twin` to the cell that owns the shape. */
  #ownerOf(cell: Cell): Cell {
    let owner = cell
    while (owner.twin) {
      this.spend()
      owner = owner.twin
    }
    return owner
  }

  /** Marks a value as an object, and returns its shape. */
  object(cell: Cell): Shape {
    this.add(cell, anObject)
    return this.shapeOf(cell)
  }

  /** Returns the cell of a field, and creates it if needed. If fields share a cell, returns `rest`. */
  field(of: Shape, name: string): Cell {
    const shape = this.find(of)
    if (shape.isBlob || (shape.isMoved && isElement(name))) return shape.rest
    const known = shape.fields.get(name)
    if (known) return known
    const cell = new Cell()
    shape.fields.set(name, cell)
    this.hasChanged = true
    return cell
  }

  /** Copies the values of a field's cell to `to`. `of` is the shape that contains the field. */
  read(cell: Cell, of: Shape, to: Cell): void {
    this.copy(cell, to)
    const { all } = this.find(of)
    this.follow(all, to)
    if (to.labels & anObject) this.follow(all, this.shapeOf(to).all)
  }

  /**
   * Makes a cell depend on the value that contains the cell's value. If the containing value may be part of a tool
   * result, the cell's value may be too.
   */
  part(of: Cell, to: Cell): void {
    this.follow(of, to)
    this.add(to, of.labels & aPart)
  }

  unify(one: Shape, other: Shape): void {
    const open: (readonly [Shape, Shape])[] = [[one, other]]
    for (let next = open.pop(); next; next = open.pop()) {
      this.spend()
      const [to, from] = [this.find(next[0]), this.find(next[1])]
      if (to === from) continue
      this.hasChanged = true
      from.parent = to
      for (const callable of from.callables) {
        this.spend()
        to.callables.add(callable)
      }
      if (to.written && from.written) {
        const { written } = from
        to.written = new Set([...to.written].filter((name) => written.has(name)))
      }
      to.written ??= from.written
      to.isWritten ||= from.isWritten
      for (const [name, cell] of from.fields) {
        this.spend()
        const own = to.fields.get(name)
        if (own) open.push(...this.#join(own, cell))
        else to.fields.set(name, cell)
      }
      open.push(...this.#join(to.rest, from.rest), ...this.#join(to.spread, from.spread))
      this.#equate(to.structure, from.structure)
      this.#equate(to.all, from.all)
      this.#equate(to.deep, from.deep)
      if (to.isBlob || from.isBlob) open.push(...this.#collapse(to))
      else if (to.isMoved || from.isMoved) open.push(...this.#move(to))
    }
  }

  /** Records that the program puts values into a shape. */
  write(of: Shape): void {
    const shape = this.find(of)
    if (!shape.isWritten) this.hasChanged = true
    shape.isWritten = true
  }

  /** Joins all elements of an array, because their positions are unknown. */
  moveElements(of: Shape): void {
    const shape = this.find(of)
    if (shape.isMoved || shape.isBlob) return
    this.hasChanged = true
    for (const [one, other] of this.#move(shape)) this.unify(one, other)
  }

  #move(shape: Shape): readonly (readonly [Shape, Shape])[] {
    shape.isMoved = true
    const elements = [...shape.fields].filter(([name]) => isElement(name))
    return elements.flatMap(([name, cell]) => {
      this.spend()
      shape.fields.delete(name)
      return this.#join(shape.rest, cell)
    })
  }

  /** Makes a shape contain itself, because a built-in function may have put any value anywhere in it. */
  collapse(shape: Shape): void {
    if (this.find(shape).isBlob) return
    for (const [one, other] of this.#collapse(this.find(shape))) this.unify(one, other)
  }

  #collapse(shape: Shape): readonly (readonly [Shape, Shape])[] {
    shape.isBlob = true
    this.hasChanged = true
    const { rest, structure, all, spread } = shape
    const inner = [...shape.fields.values(), spread]
    shape.fields.clear()
    this.add(rest, anObject)
    for (const cell of [structure, all]) this.#equate(rest, cell)
    return [[shape, this.shapeOf(rest)] as const, ...inner.flatMap((cell) => this.#join(rest, cell))]
  }

  /** Joins two cells. Returns the pairs of shapes that must be joined next. */
  #join(one: Cell, other: Cell): readonly (readonly [Shape, Shape])[] {
    this.#equate(one, other)
    const [owner, twin] = [this.#ownerOf(one), this.#ownerOf(other)]
    if (owner === twin) return []
    twin.twin = owner
    const { shape } = twin
    twin.shape = undefined
    if (!shape) return []
    if (owner.shape) return [[owner.shape, shape]]
    owner.shape = shape
    return []
  }

  /** Makes two cells receive each other's labels. */
  #equate(one: Cell, other: Cell): void {
    if (one === other) return
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      if (from.copies.has(to)) continue
      from.copies.add(to)
      this.edges += 1
      this.add(to, from.labels & kinds)
    }
  }

  /** Makes a cell receive the labels of a value and of everything that can be reached from it. */
  followAll(from: Cell, to: Cell): void {
    this.follow(from, to)
    if (from.labels & anObject) this.follow(this.#deepOf(this.shapeOf(from)), to)
  }

  /**
   * Returns a cell with the labels of everything reachable from a shape. Computed once per pass, so later changes
   * appear in the next pass.
   */
  #deepOf(top: Shape): Cell {
    const open = [top]
    for (let shape = open.pop(); shape; shape = open.pop()) {
      if (shape.deepIn === this.#pass) continue
      shape.deepIn = this.#pass
      for (const cell of [shape.all, shape.structure, shape.rest, shape.spread, ...shape.fields.values()]) {
        this.follow(cell, shape.deep)
        if (!(cell.labels & anObject)) continue
        const inner = this.shapeOf(cell)
        this.follow(inner.deep, shape.deep)
        open.push(inner)
      }
    }
    return top.deep
  }
}
