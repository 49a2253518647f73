/** Returns the content of a file by name. Undefined if there is no such file. */
export type ReadFile = (name: string) => Uint8Array | undefined

/** The environment of the program. */
interface ProgramEnvironment {
  readonly memory: LinearMemory
  readonly readFile: ReadFile
  /** Called with the program's log. */
  readonly log: (text: string) => void
}

const notATerminal = -25

/**
 * Returns the Linux system calls that a program needs to read files, by import name. Each system call receives its
 * number and the address of its arguments. The program cannot write, and can only read files that `readFile` returns.
 */
export function toSystemCalls({ memory, readFile, log }: ProgramEnvironment) {
  return {
    ...toFileCalls(memory, readFile),
    // writev
    ___syscall146(_: number, args: number) {
      const written = toVectors(memory, args)
      for (const { at, size } of written) log(memory.readText(at, size))
      return written.reduce((sum, { size }) => sum + size, 0)
    },
    // ioctl: only called to check whether a file is a terminal
    ___syscall54: () => notATerminal,
    // fcntl
    ___syscall221: () => 0,
    // getrusage: always returns zero
    ___syscall77(_: number, args: number) {
      const [at, size] = [toArgument(memory, args, 1), 136]
      memory.bytes.fill(0, at, at + size)
      return 0
    },
  }
}

interface OpenFile {
  readonly content: Uint8Array
  position: number
}

const noSuchFile = -2

function toFileCalls(memory: LinearMemory, readFile: ReadFile) {
  const open = new Map<number, OpenFile>()
  const argument = (args: number, index: number) => toArgument(memory, args, index)
  const file = (args: number): OpenFile => {
    const found = open.get(argument(args, 0))
    if (!found) throw new Error('The recogniser uses a file that is not open.')
    return found
  }
  return {
    // open
    ___syscall5(_: number, args: number) {
      const content = readFile(memory.readTextToZero(argument(args, 0)))
      if (!content) return noSuchFile
      const descriptor = Math.max(2, ...open.keys()) + 1
      open.set(descriptor, { content, position: 0 })
      return descriptor
    },
    // close
    ___syscall6(_: number, args: number) {
      open.delete(argument(args, 0))
      return 0
    },
    // llseek
    ___syscall140(_: number, args: number) {
      const opened = file(args)
      const from = [0, opened.position, opened.content.length][argument(args, 4)] ?? 0
      opened.position = from + argument(args, 2)
      memory.writeInt(argument(args, 3), opened.position)
      return 0
    },
    // readv
    ___syscall145(_: number, args: number) {
      const opened = file(args)
      const start = opened.position
      for (const { at, size } of toVectors(memory, args)) {
        const read = opened.content.subarray(opened.position, opened.position + size)
        memory.bytes.set(read, at)
        opened.position += read.length
      }
      return opened.position - start
    },
  }
}

function toArgument(memory: LinearMemory, args: number, index: number): number {
  return memory.readInt(args + 4 * index)
}

/** The buffers of readv and writev. */
function toVectors(memory: LinearMemory, args: number) {
  return Array.from({ length: toArgument(memory, args, 2) }, (_, index) => {
    const at = toArgument(memory, args, 1) + 8 * index
    return { at: memory.readInt(at), size: memory.readInt(at + 4) }
  })
}

/**
 * The memory of a WebAssembly program. Creates a new view for each use, because growing the memory detaches old views.
 */
export class LinearMemory {
  constructor(readonly memory: WebAssembly.Memory) {}

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer)
  }

  readInt(at: number): number {
    return this.#view.getInt32(at, true)
  }

  writeInt(at: number, value: number): void {
    this.#view.setInt32(at, value, true)
  }

  readText(at: number, length: number): string {
    return new TextDecoder().decode(this.bytes.subarray(at, at + length))
  }

  /** Reads a C string, which ends with a zero. */
  readTextToZero(at: number): string {
    return this.readText(at, this.bytes.indexOf(0, at) - at)
  }

  get #view(): DataView {
    return new DataView(this.memory.buffer)
  }
}
