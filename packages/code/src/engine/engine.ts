import { loadParser } from '../labels/parse.js'
import { loadEngineFiles } from './engine-files.js'
import type { FilesMessage, ThreadAnswer, ThreadRequest } from './engine-thread.js'
import { createMachine, type Machine, repeat } from './machine.js'
import type { Batch, Program, ProgramWithScript, Turn } from './program.js'
import { withScript } from './rewrite.js'

/** Runs programs, one at a time. */
interface Engine {
  /** Runs a program from its start, and replays the results of its calls so far. */
  start(key: string, program: ProgramWithScript, batches: readonly Batch[]): Promise<Turn>
  advance(key: string, batch: Batch): Promise<Turn>
  drop(key: string): void
  /** Whether the engine still has the program, and has given it the results of exactly this number of batches. */
  holds(key: string, batches: number): boolean
}

/**
 * Runs a program as far as the results of its calls allow. If the engine still has the program, the program continues
 * where it stopped. Otherwise it starts over and must make the same calls again.
 */
export async function nextTurn(key: string, program: Program, batches: readonly Batch[]): Promise<Turn> {
  return inTurn(async () => {
    const last = used?.holds(key, batches.length - 1) ? batches.at(-1) : undefined
    if (used && last) return used.advance(key, last)
    starting ??= startEngine(program.bounds.memoryMb)
    starting.thread?.ref()
    const [engine, made] = await Promise.all([starting.engine, withScript(program)])
    used = engine
    return engine.start(key, made, batches)
  })
}

/** Removes a program from the engine. Call it if the program's run does not continue in this process. */
export function dropProgram(key: string): void {
  used?.drop(key)
}

/**
 * Starts the engine if it is not running, so that its thread loads while the model writes the first program. The thread
 * does not keep the process alive until it runs a program.
 */
export function warmEngine(memoryMb: number): void {
  if (starting) return
  starting = startEngine(memoryMb)
  starting.thread?.unref()
}

let starting: { readonly engine: Promise<Engine>; readonly thread?: ThreadEngine } | undefined
let used: Engine | undefined
let last: Promise<unknown> = Promise.resolve()

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work)
  last = result.catch(() => {})
  return result
}

/** A program in the engine that is waiting for the results of its calls. */
interface Held {
  /** The number of batches that the program has received. */
  readonly batches: number
  /** The current size of the program's memory in bytes. */
  readonly bytes: number
}

/** The maximum memory of all waiting programs in bytes. It is enough for 64 programs of the smallest size. */
const mostBytes = 2 ** 30

/**
 * Returns the newest programs, which must be dropped so that the others fit. Dropping the oldest would be worse: with
 * just one program too many, every program would start over at each of its calls.
 */
function tooManyOf(held: ReadonlyMap<string, Held>): readonly string[] {
  let bytes = 0
  return [...held].flatMap(([key, one]) => {
    bytes += one.bytes
    return bytes > mostBytes ? [key] : []
  })
}

/** Starts the engine. Its thread prepares an instance with this memory limit. */
function startEngine(memoryMb: number): NonNullable<typeof starting> {
  // If this fails, the first program reports it.
  loadParser().catch(() => {})
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  if (!threads) return { engine: Promise.resolve(hereEngine()) }
  const thread = new ThreadEngine(threads.Worker, memoryMb)
  const withoutThread = (error: unknown) => {
    const message = `The program engine could not start a thread (${String(error)}). A program can block this process while it computes.`
    process.emitWarning(message, { code: 'CAPSTAN_CODE_THREAD' })
    return hereEngine()
  }
  return { engine: thread.begin().then(() => thread, withoutThread), thread }
}

type WorkerClass = typeof import('node:worker_threads').Worker
type Thread = InstanceType<WorkerClass>

/** Runs programs in a thread, and terminates the thread if a program blocks it for too long. */
class ThreadEngine implements Engine {
  readonly #Worker: WorkerClass
  readonly #memoryMb: number
  readonly #held = new Map<string, Held & { readonly timeMs: number }>()
  #thread: Promise<Thread> | undefined
  #worker: Thread | undefined

  constructor(worker: WorkerClass, memoryMb: number) {
    this.#Worker = worker
    this.#memoryMb = memoryMb
  }

  /** Makes the thread keep the process alive. */
  ref(): void {
    this.#worker?.ref()
  }

  unref(): void {
    this.#worker?.unref()
  }

  async begin(): Promise<Thread> {
    this.#thread ??= this.#start()
    const begun = this.#thread
    try {
      return await begun
    } catch (error) {
      this.#thread = undefined
      throw error
    }
  }

  #start(): Promise<Thread> {
    const { file, execArgv } = findProgram()
    const thread = new this.#Worker(file, { execArgv, workerData: this.#memoryMb })
    this.#worker = thread
    // Loads the files while the thread starts, which takes longer.
    const files = loadEngineFiles().catch(() => undefined)
    files.then((found) => thread.postMessage({ files: found } satisfies FilesMessage))
    return new Promise((resolve, reject) => {
      thread.once('error', reject).once('message', (answer: ThreadAnswer) => {
        if ('ready' in answer) resolve(thread)
        else reject(new Error('failure' in answer ? answer.failure : 'The thread did not start.'))
      })
      // Later errors reject the request that is waiting for the thread.
      thread.on('error', () => {})
      thread.once('exit', () => {
        this.#thread = undefined
        this.#held.clear()
      })
    })
  }

  holds(key: string, batches: number): boolean {
    return this.#held.get(key)?.batches === batches
  }

  async start(key: string, program: ProgramWithScript, batches: readonly Batch[]): Promise<Turn> {
    return this.#ask({ key, program, batches }, { batches: batches.length, timeMs: program.bounds.timeMs })
  }

  async advance(key: string, batch: Batch): Promise<Turn> {
    const { batches = 0, timeMs = 0 } = this.#held.get(key) ?? {}
    return this.#ask({ key, batch }, { batches: batches + 1, timeMs })
  }

  drop(key: string): void {
    if (this.#held.delete(key)) void this.#thread?.then((thread) => thread.postMessage({ key, drop: true }))
  }

  async #ask(
    request: ThreadRequest,
    held: { readonly batches: number; readonly timeMs: number },
  ): Promise<Turn> {
    const thread = await this.begin()
    const { key } = request
    thread.ref()
    this.#held.delete(key)
    // A program that starts over may use the time of all its turns.
    const turns = 'program' in request ? request.batches.length + 1 : 1
    try {
      const answer = await answerOf(thread, request, held.timeMs * turns + graceMs)
      if (answer === 'late') {
        this.#thread = undefined
        this.#held.clear()
        await thread.terminate()
        const message = `The program computed for more than ${held.timeMs} ms within one built-in function. Do less in one program.`
        return { end: { error: { name: 'Error', message, bound: 'timeMs' }, console: [] } }
      }
      const { turn, bytes } = answer
      if ('calls' in turn) this.#held.set(key, { ...held, bytes })
      for (const other of tooManyOf(this.#held)) this.drop(other)
      return turn
    } finally {
      thread.unref()
    }
  }
}

/**
 * How far a program may exceed its time limit before the thread is terminated, in milliseconds. The engine itself stops
 * a program at the limit, except during a call to a built-in function.
 */
const graceMs = 1000

type TurnAnswer = Extract<ThreadAnswer, { turn: Turn }>

function answerOf(thread: Thread, request: ThreadRequest, timeMs: number): Promise<TurnAnswer | 'late'> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      thread.off('message', onMessage).off('exit', onExit).off('error', reject)
    }
    const timer = setTimeout(() => {
      leave()
      resolve('late')
    }, timeMs)
    const onMessage = (answer: ThreadAnswer) => {
      leave()
      if ('turn' in answer) resolve(answer)
      else reject(new Error('failure' in answer ? answer.failure : 'The thread sent no turn.'))
    }
    const onExit = () => {
      leave()
      reject(new Error("The engine's thread has ended."))
    }
    thread.once('message', onMessage).once('exit', onExit).once('error', reject)
    thread.postMessage(request)
  })
}

/**
 * Creates an engine in the current thread, for runtimes without worker threads. It cannot stop a program during a call
 * to a built-in function.
 */
function hereEngine(): Engine {
  const held = new Map<string, Held & { readonly machine: Machine }>()
  const kept = (key: string, turn: Turn, one: { readonly machine: Machine; readonly batches: number }) => {
    if ('end' in turn) held.delete(key)
    else held.set(key, { ...one, bytes: one.machine.bytes })
    for (const other of tooManyOf(held)) held.delete(other)
    return turn
  }
  return {
    holds: (key, batches) => held.get(key)?.batches === batches,
    async start(key, program, batches) {
      const machine = await createMachine(program)
      return kept(key, repeat(machine, batches), { machine, batches: batches.length })
    },
    async advance(key, batch) {
      const one = held.get(key)
      if (!one) throw new Error('The engine has no such program.')
      return kept(key, one.machine.advance(batch), { ...one, batches: one.batches + 1 })
    },
    drop: (key) => void held.delete(key),
  }
}

/**
 * Returns the thread's file: the compiled file next to this one or, when running from source, the TypeScript file with
 * a loader.
 */
function findProgram(): { readonly file: URL; readonly execArgv: string[] } {
  // CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
  const here = import.meta.url ?? process.getBuiltinModule('node:url').pathToFileURL(__filename).href
  // The thread does not inherit this process's arguments, because some are only meant for the main program, such as
  // --eval.
  if (!here.endsWith('.ts')) return { file: new URL('./engine-thread.cjs', here), execArgv: [] }
  const loader = new URL('../typescript.mjs', here).href
  return {
    file: new URL('./engine-thread.ts', here),
    execArgv: ['--conditions=development', '--import', loader],
  }
}
