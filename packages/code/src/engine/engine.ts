import type { ThreadAnswer, ThreadRequest } from './engine-thread.js'
import { createMachine, type Machine } from './machine.js'
import type { Batch, Program, Turn } from './program.js'

/** A place where programs run, one at a time. */
interface Engine {
  start(key: string, program: Program): Promise<Turn>
  advance(key: string, batch: Batch): Promise<Turn>
  drop(key: string): void
  /** Whether a program is there that has taken this number of batches. */
  holds(key: string, batches: number): boolean
}

/**
 * Returns how far a program gets with the outcomes of its calls so far. An engine that holds the program goes on; else
 * the program runs from its start, and must make the same calls again.
 */
export async function nextTurn(key: string, program: Program, batches: readonly Batch[]): Promise<Turn> {
  return inTurn(async () => {
    engine ??= await startEngine()
    const used = engine
    const last = batches.at(-1)
    if (last && used.holds(key, batches.length - 1)) return used.advance(key, last)
    let turn = await used.start(key, program)
    for (const batch of batches) {
      if ('end' in turn) return endedEarly(turn)
      turn = await used.advance(key, batch)
    }
    return turn
  })
}

/** Forgets a program whose run does not go on in this process. */
export function dropProgram(key: string): void {
  engine?.drop(key)
}

let engine: Engine | undefined
let last: Promise<unknown> = Promise.resolve()

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work)
  last = result.catch(() => {})
  return result
}

/** A bound may end a repetition only: where calls were recorded, the program did not end. */
function endedEarly(turn: Extract<Turn, { end: unknown }>): Turn {
  if (turn.end.error) return turn
  const message =
    'The program took another path when it was repeated: it ended, where a call was recorded. Nothing was called.'
  return { end: { error: { name: 'ReplayError', message }, console: turn.end.console } }
}

/** Programs that wait at once keep their engines; with more, the oldest run again from their start. */
const mostHeld = 16

async function startEngine(): Promise<Engine> {
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  if (!threads) return hereEngine()
  const thread = new ThreadEngine(threads.Worker)
  try {
    await thread.begin()
    return thread
  } catch (error) {
    const message = `The engine of programs has no thread (${String(error)}): a program can hold this process while it computes.`
    process.emitWarning(message, { code: 'CAPSTAN_CODE_THREAD' })
    return hereEngine()
  }
}

type WorkerClass = typeof import('node:worker_threads').Worker
type Thread = InstanceType<WorkerClass>

/** Runs programs in a thread, which is ended when a program holds it too long. */
class ThreadEngine implements Engine {
  readonly #Worker: WorkerClass
  /** The number of batches that each program has taken, the oldest first. */
  readonly #held = new Map<string, { readonly batches: number; readonly timeMs: number }>()
  #thread: Promise<Thread> | undefined

  constructor(worker: WorkerClass) {
    this.#Worker = worker
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
    const thread = new this.#Worker(file, { execArgv })
    return new Promise((resolve, reject) => {
      thread.once('error', reject).once('message', (answer: ThreadAnswer) => {
        if ('ready' in answer) resolve(thread)
        else reject(new Error('failure' in answer ? answer.failure : 'no answer'))
      })
      // What fails later is told where its answer is awaited.
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

  async start(key: string, program: Program): Promise<Turn> {
    const [oldest] = this.#held.keys()
    if (this.#held.size >= mostHeld && oldest !== undefined) this.drop(oldest)
    return this.#ask({ key, program }, { batches: 0, timeMs: program.bounds.timeMs })
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
    try {
      const turn = await answerOf(thread, request, held.timeMs + graceMs)
      if (turn === 'late') {
        this.#thread = undefined
        this.#held.clear()
        await thread.terminate()
        const message = `The program has computed for ${held.timeMs} ms, within one built-in function. Do less in one program.`
        return { end: { error: { name: 'Error', message, bound: 'timeMs' }, console: [] } }
      }
      if ('calls' in turn) this.#held.set(key, held)
      return turn
    } finally {
      thread.unref()
    }
  }
}

/** The engine stops a program itself, except within built-in functions. */
const graceMs = 1000

function answerOf(thread: Thread, request: ThreadRequest, timeMs: number): Promise<Turn | 'late'> {
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
      if ('turn' in answer) resolve(answer.turn)
      else reject(new Error('failure' in answer ? answer.failure : 'no turn'))
    }
    const onExit = () => {
      leave()
      reject(new Error('The thread of the engine has ended.'))
    }
    thread.once('message', onMessage).once('exit', onExit).once('error', reject)
    thread.postMessage(request)
  })
}

/** Runs programs in this thread, where there are no others: built-in functions cannot be stopped there. */
function hereEngine(): Engine {
  const held = new Map<string, { readonly machine: Machine; batches: number }>()
  const kept = (key: string, turn: Turn) => {
    if ('end' in turn) held.delete(key)
    return turn
  }
  return {
    holds: (key, batches) => held.get(key)?.batches === batches,
    async start(key, program) {
      const machine = await createMachine(program)
      const [oldest] = held.keys()
      if (held.size >= mostHeld && oldest !== undefined) held.delete(oldest)
      held.set(key, { machine, batches: 0 })
      return kept(key, machine.start())
    },
    async advance(key, batch) {
      const one = held.get(key)
      if (!one) throw new Error('The engine has no such program.')
      one.batches += 1
      return kept(key, one.machine.advance(batch))
    },
    drop: (key) => void held.delete(key),
  }
}

/** Returns the built thread beside this file, or the TypeScript one with a loader when run from source. */
function findProgram(): { readonly file: URL; readonly execArgv: string[] } {
  // CommonJS builds have `__filename` only, the others `import.meta.url` only.
  const here = import.meta.url ?? process.getBuiltinModule('node:url').pathToFileURL(__filename).href
  // Without the arguments of this process: they may concern its own program, such as --eval.
  if (!here.endsWith('.ts')) return { file: new URL('./engine-thread.js', here), execArgv: [] }
  const loader = new URL('../typescript.mjs', here).href
  return {
    file: new URL('./engine-thread.ts', here),
    execArgv: ['--conditions=development', '--import', loader],
  }
}
