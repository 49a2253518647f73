import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core'
import { loadParser } from '../labels/parse.js'
import { type Instance, takeInstance } from './instance.js'
import { programFile } from './prelude.js'
import type { Batch, BoundName, MadeCall, Program, ProgramEnd, ProgramError, Turn } from './program.js'
import { type Rewritten, rewrite } from './rewrite.js'

/** One program in its own engine. Unusable after it ends. */
export interface Machine {
  /** The engine's memory limit in bytes. */
  readonly bytes: number
  /** Runs the program from its start until it waits or ends. Must be called first, and once. */
  start(): Turn
  /** Continues the program with the results of the calls that it waits for. */
  advance(batch: Batch): Turn
}

/** Creates an engine with a program. The first call loads QuickJS. */
export async function createMachine(program: Program): Promise<Machine> {
  const instance = takeInstance(program.bounds.memoryMb)
  const rewritten = rewrite(program.source, await loadParser())
  return new QuickMachine(program, rewritten, await instance)
}

/** Runs a program from its start, with the results of its calls so far. It must make the same calls again. */
export function repeat(machine: Machine, batches: readonly Batch[]): Turn {
  let turn = machine.start()
  for (const batch of batches) {
    if ('end' in turn) return endedEarly(turn)
    turn = machine.advance(batch)
  }
  return turn
}

/**
 * Returns the turn of a repeated program that ended before its recorded calls did. Only a bound may cause this: any
 * other end becomes an error.
 */
function endedEarly(turn: Extract<Turn, { end: unknown }>): Turn {
  if (turn.end.error) return turn
  const message =
    'The program took another path when it was repeated: it ended, where a call was recorded. Nothing was called.'
  return { end: { error: { name: 'ReplayError', message }, console: turn.end.console } }
}

/** The state of a program, as reported by the prelude. */
interface Look {
  readonly calls: readonly MadeCall[]
  /** The end of the program's function. */
  readonly done?: { readonly value?: string; readonly error?: Described; readonly bound?: BoundName }
  /** The first rejection that the program does not handle. */
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
  readonly #program: Program
  readonly #rewritten: Rewritten
  readonly #runtime: QuickJSRuntime
  readonly #memory: WebAssembly.Memory
  readonly #makeApi: QuickJSHandle
  readonly #context: QuickJSContext
  #api: QuickJSHandle | undefined
  #asked: readonly MadeCall[] = []
  /** The end of the program's function, while calls that it did not await are open. */
  #done: Look['done']
  #fuel = 0
  #endsAt = 0
  #bound: 'fuel' | 'timeMs' | undefined
  /** The calls that were in progress when a bound was passed, as text. */
  #stack: string | undefined

  constructor(program: Program, rewritten: Rewritten, { runtime, context, memory, makeApi }: Instance) {
    this.#program = program
    this.#rewritten = rewritten
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
      const { seed, tools: names, refused, bounds } = this.#program
      const { code, sites } = this.#rewritten
      const config = JSON.stringify({ names, refused, bounds, seed: seedOf(seed) })
      this.#api = this.#apply(this.#makeApi, this.#context.newString(config))
      const result = this.#context.evalCode(code, programFile)
      const main = result.error ? this.#fail(result.error) : result.value
      this.#call('start', main, this.#context.newNumber(sites))
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

  /** Runs the program's remaining jobs one by one, so that an error in one does not stop the others. */
  #drain(): void {
    while (this.#runtime.hasPendingJob() && !this.#bound) {
      const result = this.#runtime.executePendingJobs(jobsAtOnce)
      if (result.error) this.#fail(result.error)
      // Jobs of a few steps are not interrupted.
      if (result.value === jobsAtOnce) this.#spend(jobFuel)
    }
  }

  /**
   * Whether the engine should stop the program. First records the calls in progress, because the engine forgets them
   * when it stops.
   */
  #interrupts(): boolean {
    if (this.#stack !== undefined || !this.#spend(1)) return this.#bound !== undefined
    this.#stack = ''
    const bound = this.#bound
    try {
      this.#bound = undefined
      this.#stack = this.#text(this.#call('where'))
    } catch {
      // Without memory, or deep in the stack.
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
    // The program may have caught its interruption.
    if (this.#bound)
      return this.#end({ error: this.#errorOf(thrown ?? this.#done?.error ?? failure ?? interrupted) })
    if (thrown ?? failure) return this.#end({ error: this.#errorOf((thrown ?? failure) as Described) })
    if (calls.length > 0) {
      this.#asked = calls.map((call) => ({ ...call, arguments: toPlain(call.arguments) }))
      return { calls: this.#asked }
    }
    if (!this.#done) {
      const waits = 'The program waits for a promise that nothing resolves. Await calls of tools only.'
      // Without memory its end is lost too.
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

  /** Returns an error with its place in the source, and the bound that was exceeded, if any. */
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
    if (this.#bound) return passed('timeMs', `The program has computed for ${timeMs} ms.`)
    // If memory ran out, there may be no error, or one without a value.
    if ((message === 'null' && this.#isFull()) || withoutMemory.test(message))
      return passed('memoryMb', `The program needs more memory than ${memoryMb} MiB.`)
    // The check of the engine itself, and that of the host for functions of the engine.
    if (/^(?:.* not JSON: )?stack overflow|call stack size/.test(message))
      return passed('stackKb', `The program nests calls too deep for a stack of ${stackKb} KiB.`)
    return this.#placed(described)
  }

  #isFull(): boolean {
    return this.bytes > this.#program.bounds.memoryMb * 1024 * 900
  }

  /** Returns an error with its place: the first line of the program in the stack. */
  #placed({ name, message, stack }: Described): ProgramError {
    const [, line, column = '1'] = inProgram.exec(stack) ?? []
    if (line === undefined) return { name, message }
    // What the source does not close is missed behind its end.
    const lines = this.#program.source.split('\n').length
    if (Number(line) > lines) return { name, message: unclosed, line: lines, column: 1 }
    const place = this.#rewritten.columnOf(Number(line), Number(column))
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

/** The number of jobs between two checks of the fuel, and the fuel that they use. */
const jobsAtOnce = 1000
const jobFuel = 5

/** An error within the engine. */
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

/** Converts arguments to the form in the history. */
function toPlain(text: string): string {
  const plain = JSON.stringify(JSON.parse(text))
  // Halves of surrogate pairs are escapes in JSON; the history has none.
  return plain.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (whole, half) => (half ? '\ufffd' : whole))
}

/** Describes the first difference between a program's calls and the recorded ones. */
function differenceOf(made: readonly MadeCall[], recorded: readonly MadeCall[]): string | undefined {
  const count = Math.max(made.length, recorded.length)
  for (let at = 0; at < count; at++) {
    const [one, other] = [made[at], recorded[at]]
    if (one && other && one.name === other.name && one.arguments === other.arguments) continue
    const shown = (call: MadeCall | undefined) =>
      call ? `${call.name}(${call.arguments.slice(0, 200)})` : 'no call'
    return `The program took another path when it was repeated: it made ${shown(one)}, where ${shown(other)} was recorded. Nothing was called.`
  }
  return undefined
}

/** Returns four numbers for a string (FNV-1a, with a different start for each). */
function seedOf(text: string): readonly number[] {
  return [0, 1, 2, 3].map((salt) => {
    let hash = 0x811c9dc5 ^ (salt * 0x9e3779b9)
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    return hash >>> 0
  })
}
