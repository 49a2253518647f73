import PQueue from 'p-queue'
import { abortable, Semaphore } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
import type { Rate, Tool } from './tool.js'

/** Bounds on calls at one time: the run's, each tool's own, which holds across runs, and one for what they write. */
export interface CallScheduler {
  /**
   * Starts the work when there is a slot, and when nothing else writes what `key` names; calls of one key start in
   * the order they come. Rejects with the signal's reason when aborted before that.
   */
  take<T>(request: SlotRequest, signal: AbortSignal, start: () => Work<T>): Promise<T>
}

interface SlotRequest {
  readonly tool: Tool
  readonly key?: string | undefined
}

export function createCallScheduler(concurrency: number): CallScheduler {
  const ofRun = new ConcurrencyLimit({ of: 'a run', concurrency })
  const ofKeys = new Map<string, ConcurrencyLimit>()
  return {
    take({ tool, key }, signal, start) {
      const ofKey =
        key === undefined ? undefined : limitIn(ofKeys, key, { of: `what writes "${key}"`, concurrency: 1 })
      // The run's slot behind those: waiting for another must not hold one that other calls could use. The rate last:
      // it counts when functions start.
      const line = [ofKey, limitOfTool(tool), ofRun, rateOfTool(tool)]
      return runInSlots(line, signal, start)
    },
  }
}

const toolLimits = new WeakMap<Tool, ConcurrencyLimit>()

function limitOfTool(tool: Tool): ConcurrencyLimit | undefined {
  const { concurrency = Number.POSITIVE_INFINITY } = tool.settings
  if (concurrency === Number.POSITIVE_INFINITY) return undefined
  return limitIn(toolLimits, tool, { of: `"${tool.name}"`, concurrency })
}

const toolRates = new WeakMap<Tool, ConcurrencyLimit>()

function rateOfTool(tool: Tool): ConcurrencyLimit | undefined {
  const { rate } = tool.settings
  return (
    rate && limitIn(toolRates, tool, { of: `"${tool.name}"`, concurrency: Number.POSITIVE_INFINITY, rate })
  )
}

interface LimitMap<Key> {
  get(key: Key): ConcurrencyLimit | undefined
  set(key: Key, lane: ConcurrencyLimit): unknown
}

function limitIn<Key>(lanes: LimitMap<Key>, key: Key, options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const lane = lanes.get(key) ?? new ConcurrencyLimit(options)
  lanes.set(key, lane)
  return lane
}

/** The slots stay taken until the work is really over, though its answer may come sooner. */
function runInSlots<T>(
  line: readonly (ConcurrencyLimit | undefined)[],
  signal: AbortSignal,
  start: () => Work<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const begin = () => {
      const work = start()
      for (const lane of line) lane?.watch(work)
      work.answer.then(resolve, reject)
      return work.settled
    }
    const enter = (at: number): Promise<void> => {
      if (at === line.length) return begin()
      return line[at]?.enter(signal, () => enter(at + 1)) ?? enter(at + 1)
    }
    enter(0).catch(reject)
  })
}

interface ConcurrencyLimitOptions {
  /** Of whose calls it is the bound, for errors. */
  readonly of: string
  readonly concurrency: number
  readonly rate?: Rate | undefined
}

/**
 * A bound on calls at one time. A slot stays taken until its work is really over; when work that is past its
 * deadline holds every slot for a second, what waits is told so rather than left to wait for ever.
 */
export class ConcurrencyLimit {
  readonly #gate: Semaphore
  /** Where starts are bounded in time. */
  readonly #queue: PQueue | undefined
  readonly #options: ConcurrencyLimitOptions
  readonly #waiting = new Set<(error: CapstanError) => void>()
  #stuck = 0

  constructor(options: ConcurrencyLimitOptions) {
    const { concurrency, rate } = options
    this.#options = options
    this.#gate = new Semaphore(concurrency)
    this.#queue = rate && new PQueue({ intervalCap: rate.calls, interval: rate.intervalMs, strict: true })
  }

  /** Calls `start` when there is a slot, and holds it until what that returns has resolved. */
  enter(signal: AbortSignal, start: () => Promise<void>): Promise<void> {
    // Where nobody waits there is nothing to leave.
    if (!this.#queue && this.#gate.hasFreeSlot) return this.#gate.run(signal, start)
    const leaving = new AbortController()
    const leave = (reason: unknown) => leaving.abort(reason)
    const abort = () => leave(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    else if (this.#stuck >= this.#options.concurrency) leave(this.#stalled())
    this.#waiting.add(leave)
    const stay = () => {
      signal.removeEventListener('abort', abort)
      this.#waiting.delete(leave)
    }
    const begin = () => {
      stay()
      return start()
    }
    const begun = () => this.#gate.run(leaving.signal, begin)
    const entered = this.#queue ? this.#queue.add(begun, { signal: leaving.signal }) : begun()
    return entered.finally(stay)
  }

  /** Watches work that holds a slot here. */
  watch({ answer, settled }: Work<unknown>): void {
    let isOver = false
    let isStuck = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const answered = () => {
      if (isOver) return
      timer = setTimeout(() => {
        isStuck = true
        this.#stuck += 1
        if (this.#stuck < this.#options.concurrency) return
        for (const leave of this.#waiting) leave(this.#stalled())
      }, graceMs)
    }
    answer.then(answered, answered)
    void settled.then(() => {
      isOver = true
      clearTimeout(timer)
      if (isStuck) this.#stuck -= 1
    })
  }

  #stalled(): CapstanError {
    const { of, concurrency } = this.#options
    const message = `This call did not run: ${of} may run ${concurrency} at one time, and as many earlier ones are past their deadline and still go on. Let them heed ctx.signal.`
    return forModel(new CapstanError('timeout', message, { evidence: { concurrency } }))
  }
}

/** Work that heeds its signal is over sooner after its deadline. */
const graceMs = 1000

/** A call's place in the order of its answer. */
export interface KeyPlace {
  /** Waits until it is settled for all calls before this one what they write, or that they do not run. */
  reached(signal: AbortSignal): Promise<void>
  /** The calls behind need not wait any longer for this one. */
  pass(): void
}

/** The order of an answer's calls, for those that must keep to it. */
export class KeyOrder {
  readonly #places: Stand[] = []

  /** Lines a call up; called in call order, before anything else is known of it. */
  join(): KeyPlace {
    const places = this.#places
    const count = places.length
    const own = new Stand()
    places.push(own)
    return {
      async reached(signal) {
        for (const one of places.slice(0, count)) if (!one.isPassed) await abortable(signal, one.passed())
      },
      pass: () => own.pass(),
    }
  }
}

class Stand {
  isPassed = false
  readonly #waiting: (() => void)[] = []

  passed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  pass(): void {
    this.isPassed = true
    for (const wake of this.#waiting) wake()
  }
}

/** Work whose answer may come before the work itself is over: a function that ignores its signal goes on. */
interface Work<T> {
  readonly answer: Promise<T>
  /** Resolves, never rejects, when the work is really over. */
  readonly settled: Promise<void>
}

/**
 * Starts work with a signal that aborts with `parent` or after `timeoutMs`, and answers then at once.
 * @throws CapstanError `timeout`, or the parent's reason, as a rejection of `answer`
 */
export function withDeadline<T>(
  parent: AbortSignal,
  timeoutMs: number | undefined,
  start: (signal: AbortSignal) => Promise<T>,
): Work<T> {
  if (timeoutMs === undefined) return untilAborted(parent, start(parent))
  const controller = new AbortController()
  const abort = () => controller.abort(parent.reason)
  parent.addEventListener('abort', abort, { once: true })
  if (parent.aborted) abort()
  const timer = setTimeout(() => controller.abort(late(timeoutMs)), timeoutMs)
  const working = start(controller.signal)
  const answer = new Promise<T>((resolve, reject) => {
    if (controller.signal.aborted) reject(controller.signal.reason)
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
    working.then(resolve, reject)
  }).finally(() => {
    clearTimeout(timer)
    parent.removeEventListener('abort', abort)
  })
  return { answer, settled: working.then(ignore, ignore) }
}

function untilAborted<T>(signal: AbortSignal, working: Promise<T>): Work<T> {
  // First of all it is over: who hears its answer need not wait for that.
  const settled = working.then(ignore, ignore)
  return { answer: abortable(signal, working), settled }
}

function ignore(): void {}

function late(timeoutMs: number): CapstanError {
  const message = `The tool did not finish within ${timeoutMs} ms. It may have taken effect.`
  return forModel(new CapstanError('timeout', message, { evidence: { timeoutMs } }))
}
