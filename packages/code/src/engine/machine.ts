import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core'
import { type Instance, takeInstance } from './instance.js'
import { programFile } from './prelude.js'
import type {
  Batch,
  BoundName,
  MadeCall,
  ProgramEnd,
  ProgramError,
  ProgramWithScript,
  Turn,
} from './program.js'
import { columnIn } from './rewrite.js'

/** One program in its own engine. A machine cannot be used again after its program has ended. */
export interface Machine {
  /** The current size of the engine's memory in bytes. */
  readonly bytes: number
  /** Runs the program from its start until it waits for calls or ends. Call it once, before `advance`. */
  start(): Turn
  /**
   * Passes the program the results of the calls that it is waiting for, and continues it. If the batch contains
   * different calls, the program ends with a `ReplayError`.
   */
  advance(batch: Batch): Turn
}

/** Creates an engine and loads a program into it. The first call also loads QuickJS. */
export async function createMachine(program: ProgramWithScript): Promise<Machine> {
  return new QuickMachine(program, await takeInstance(program.bounds.memoryMb))
}

/**
 * Replays a program from its start with the recorded results of its calls. The program must make the same calls again.
 */
export function repeat(machine: Machine, batches: readonly Batch[]): Turn {
  let turn = machine.start()
  for (const batch of batches) {
    if ('end' in turn) return endedEarly(turn)
    turn = machine.advance(batch)
  }
  return turn
}

/**
 * Returns the final turn of a replayed program that ended before it made all its recorded calls. The turn becomes a
 * `ReplayError`, unless the program failed, for example at a bound.
 */
function endedEarly(turn: Extract<Turn, { end: unknown }>): Turn {
  if (turn.end.error) return turn
  const message =
    'The program took a different path when it was replayed: it ended where a call was recorded. No further tool was called.'
  return { end: { error: { name: 'ReplayError', message }, console: turn.end.console } }
}

/** The state of a program, as reported by the prelude. */
interface Look {
  readonly calls: readonly MadeCall[]
  /** How the program's function ended. Absent while the function is running. */
  readonly done?: { readonly value?: string; readonly error?: Described; readonly bound?: BoundName }
  /** The first rejection that the program has not handled. */
  readonly failure?: Described
  readonly bound?: BoundName
  readonly boundError?: Described
}

interface Described {
  readonly name: string
  readonly message: string
  readonly stack: string
}

class QuickMachine implements Machine {
  readonly #program: ProgramWithScript
  readonly #runtime: QuickJSRuntime
  readonly #memory: WebAssembly.Memory
  readonly #makeApi: QuickJSHandle
  readonly #context: QuickJSContext
  #api: QuickJSHandle | undefined
  #asked: readonly MadeCall[] = []
  /** How the program's function ended. Kept while calls that the program did not await are still open. */
  #done: Look['done']
  #fuel = 0
  #endsAt = 0
  #bound: 'fuel' | 'timeMs' | undefined
  /** The call stack, as text, at the moment when a bound was exceeded. */
  #stack: string | undefined

  constructor(program: ProgramWithScript, { runtime, context, memory, makeApi }: Instance) {
    this.#program = program
    this.#memory = memory
    this.#runtime = runtime
    this.#context = context
    this.#makeApi = makeApi
    runtime.setMaxStackSize(program.bounds.stackKb * 1024)
    runtime.setInterruptHandler(() => this.#interrupts())
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  start(): Turn {
    return this.#turn(() => {
      const { seed, tools: names, refused, bounds, script } = this.#program
      const config = JSON.stringify({ names, refused, bounds, seed: seedOf(seed) })
      this.#api = this.#apply(this.#makeApi, this.#context.newString(config))
      const result = this.#context.evalCode(script.code, programFile)
      const main = result.error ? this.#fail(result.error) : result.value
      this.#call('start', main, this.#context.newNumber(script.sites))
    })
  }

  advance(batch: Batch): Turn {
    const wrong = differenceOf(this.#asked, batch.calls)
    if (wrong !== undefined) return { end: { error: { name: 'ReplayError', message: wrong }, console: [] } }
    return this.#turn(() => this.#call('settle', this.#context.newString(JSON.stringify(batch.outcomes))))
  }

  #turn(work: () => void): Turn {
    this.#endsAt = Date.now() + this.#program.bounds.timeMs
    let failure: Described | undefined
    try {
      work()
      this.#drain()
    } catch (error) {
      failure = toDescribed(error)
    }
    try {
      return this.#toTurn(JSON.parse(this.#text(this.#call('look'))), failure)
    } catch (error) {
      return this.#end({ error: this.#errorOf(failure ?? toDescribed(error)) })
    }
  }

  /** Runs the program's pending jobs, and checks the fuel after each portion of jobs. Stops at a bound. */
  #drain(): void {
    while (this.#runtime.hasPendingJob() && !this.#bound) {
      const result = this.#runtime.executePendingJobs(jobsAtOnce)
      if (result.error) this.#fail(result.error)
      // The engine does not interrupt short jobs, so their fuel is subtracted here.
      if (result.value === jobsAtOnce) this.#spend(jobFuel)
    }
  }

  /** Whether the engine should stop the program. If so, records the call stack first, because stopping discards it. */
  #interrupts(): boolean {
    if (this.#stack !== undefined || !this.#spend(1)) return this.#bound !== undefined
    this.#stack = ''
    const bound = this.#bound
    try {
      this.#bound = undefined
      this.#stack = this.#text(this.#call('where'))
    } catch {
      // There was too little memory or stack.
    }
    this.#bound = bound
    return true
  }

  #spend(fuel: number): boolean {
    this.#fuel += fuel
    if (this.#fuel > this.#program.bounds.fuel) this.#bound ??= 'fuel'
    else if (Date.now() > this.#endsAt) this.#bound ??= 'timeMs'
    return this.#bound !== undefined
  }

  #toTurn({ calls, done, failure, bound, boundError }: Look, thrown: Described | undefined): Turn {
    if (bound && boundError) return this.#end({ error: { ...this.#placed(boundError), bound } })
    this.#done ??= done
    // The program may have caught the interruption.
    if (this.#bound)
      return this.#end({ error: this.#errorOf(thrown ?? this.#done?.error ?? failure ?? interrupted) })
    if (thrown ?? failure) return this.#end({ error: this.#errorOf((thrown ?? failure) as Described) })
    if (calls.length > 0) {
      this.#asked = calls.map((call) => ({ ...call, arguments: toPlain(call.arguments) }))
      return { calls: this.#asked }
    }
    if (!this.#done) {
      const waits = 'The program is waiting for a promise that nothing resolves. Only await tool calls.'
      // If memory ran out, the program's end is lost too.
      const message = this.#isFull() ? 'out of memory' : waits
      return this.#end({ error: this.#errorOf({ name: 'Error', message, stack: '' }) })
    }
    const { value, error, bound: passed } = this.#done
    if (error) return this.#end({ error: { ...this.#errorOf(error), ...(passed && { bound: passed }) } })
    return this.#end(value === undefined ? {} : { value })
  }

  #end(end: Omit<ProgramEnd, 'console'>): Turn {
    return { end: { ...end, console: this.#console() } }
  }

  #console(): readonly string[] {
    try {
      return this.#api ? JSON.parse(this.#text(this.#call('output'))) : []
    } catch {
      return []
    }
  }

  /** Returns an error with its position in the source and the bound that was exceeded, if any. */
  #errorOf(described: Described): ProgramError {
    const { fuel, timeMs, memoryMb, stackKb } = this.#program.bounds
    const { message, stack } = described
    const passed = (bound: BoundName, what: string): ProgramError => ({
      ...this.#placed({
        name: 'Error',
        message: `${what} Do less in one program.`,
        stack: this.#stack || stack,
      }),
      bound,
    })
    if (this.#bound === 'fuel') return passed('fuel', `The program has used all of its fuel (${fuel}).`)
    if (this.#bound) return passed('timeMs', `The program computed for more than ${timeMs} ms.`)
    // If memory ran out, there may be no error object, or only `null`.
    if ((message === 'null' && this.#isFull()) || withoutMemory.test(message))
      return passed('memoryMb', `The program needs more than ${memoryMb} MiB of memory.`)
    // The first message is the engine's own. The second one is the host's, for the engine's built-in functions.
    if (/^(?:.* not JSON: )?stack overflow|call stack size/.test(message))
      return passed('stackKb', `The program nests calls too deeply for a stack of ${stackKb} KiB.`)
    return this.#placed(described)
  }

  #isFull(): boolean {
    return this.bytes > this.#program.bounds.memoryMb * 1024 * 900
  }

  /** Returns an error with its position: the topmost stack frame that is in the program. */
  #placed({ name, message, stack }: Described): ProgramError {
    const [, line, column = '1'] = inProgram.exec(stack) ?? []
    if (line === undefined) return { name, message }
    // If something in the source is not closed, the engine reports a line after the end of the source.
    const { source, script } = this.#program
    const lines = source.split('\n').length
    if (Number(line) > lines) return { name, message: unclosed, line: lines, column: 1 }
    const place = columnIn(source, script, Number(line), Number(column))
    return { name, message, line: Number(line), column: Math.max(1, place) }
  }

  #call(name: string, ...args: QuickJSHandle[]): QuickJSHandle {
    if (!this.#api) throw new Error('The engine has no program.')
    return this.#apply(this.#context.getProp(this.#api, name), ...args)
  }

  #apply(called: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    const result = this.#context.callFunction(called, this.#context.undefined, ...args)
    called.dispose()
    for (const one of args) one.dispose()
    return result.error ? this.#fail(result.error) : result.value
  }

  #text(handle: QuickJSHandle): string {
    const text = this.#context.getString(handle)
    handle.dispose()
    return text
  }

  #fail(error: QuickJSHandle): never {
    const told: unknown = this.#context.dump(error)
    error.dispose()
    const { name, message, stack } = Object(told)
    throw new EngineError({
      name: `${name ?? 'Error'}`,
      message: `${message ?? String(told)}`,
      stack: `${stack ?? ''}`,
    })
  }
}

/** The number of jobs to run between two fuel checks, and the fuel that they use. */
const jobsAtOnce = 1000
const jobFuel = 5

/** An error that code in the engine has thrown. */
class EngineError extends Error {
  readonly described: Described

  constructor(described: Described) {
    super(described.message)
    this.described = described
  }
}

function toDescribed(error: unknown): Described {
  if (error instanceof EngineError) return error.described
  return { name: 'Error', message: error instanceof Error ? error.message : String(error), stack: '' }
}

const withoutMemory = /^(?:.* not JSON: )?out of memory|memory access out of bounds|^\[unsupported type\]$/
const unclosed = 'a bracket, a quote or a block is not closed, or closed twice'
const interrupted: Described = { name: 'Error', message: 'interrupted', stack: '' }

const inProgram = new RegExp(`\\b${programFile}:(\\d+)(?::(\\d+))?`)

/** Converts arguments from JSON to the form in which they appear in the history. */
function toPlain(text: string): string {
  const plain = JSON.stringify(JSON.parse(text))
  // JSON contains lone surrogates as escapes, but the history must not contain lone surrogates.
  return plain.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (whole, half) => (half ? '\ufffd' : whole))
}

/** Describes the first difference between a program's calls and the recorded ones. Undefined if there is none. */
function differenceOf(made: readonly MadeCall[], recorded: readonly MadeCall[]): string | undefined {
  const count = Math.max(made.length, recorded.length)
  for (let at = 0; at < count; at++) {
    const [one, other] = [made[at], recorded[at]]
    if (one && other && one.name === other.name && one.arguments === other.arguments) continue
    const shown = (call: MadeCall | undefined) =>
      call ? `${call.name}(${call.arguments.slice(0, 200)})` : 'no call'
    return `The program took a different path when it was replayed: it made ${shown(one)} where ${shown(other)} was recorded. No further tool was called.`
  }
  return undefined
}

/** Hashes a string to four 32-bit numbers (FNV-1a, with a different start value for each). */
function seedOf(text: string): readonly number[] {
  return [0, 1, 2, 3].map((salt) => {
    let hash = 0x811c9dc5 ^ (salt * 0x9e3779b9)
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    return hash >>> 0
  })
}
