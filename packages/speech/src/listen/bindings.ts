import type { LinearMemory } from './linear-memory.js'

/** How to call a function of a C++ class: through `invoker`, a function of the shape `signature`. */
export interface BoundFunction {
  readonly signature: string
  readonly invoker: number
  /** What the invoker calls in turn. */
  readonly target: number
}

/** The class the program offers: its constructors by their number of arguments, its methods by name. */
export interface BoundClass {
  readonly constructors: Map<number, BoundFunction>
  readonly methods: Map<string, BoundFunction>
}

/** The imports through which a program built with Embind tells, as it starts, what it offers: all but classes is passed over. */
export function toBindings(memory: LinearMemory, classes: Map<string, BoundClass>) {
  const byType = new Map<number, BoundClass>()
  const classOf = (type: number): BoundClass => {
    const found = byType.get(type) ?? { constructors: new Map(), methods: new Map() }
    byType.set(type, found)
    return found
  }
  return {
    __embind_register_class(...args: number[]) {
      const [type = 0, name = 0] = [args[0], args[10]]
      classes.set(memory.readTextToZero(name), classOf(type))
    },
    __embind_register_class_constructor(...args: number[]) {
      const [type = 0, count = 0, , signature = 0, invoker = 0, target = 0] = args
      const bound = { signature: memory.readTextToZero(signature), invoker, target }
      classOf(type).constructors.set(count - 1, bound)
    },
    __embind_register_class_function(...args: number[]) {
      const [type = 0, name = 0, , , signature = 0, invoker = 0, target = 0] = args
      const bound = { signature: memory.readTextToZero(signature), invoker, target }
      classOf(type).methods.set(memory.readTextToZero(name), bound)
    },
  }
}
