import { abortable, ignore, joinSignals, Semaphore, type Work } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
import { onceFor } from '../json.js'
import type { Tool } from '../run/middleware.js'
import type { RateLimit } from './tool-options.js'

/** Limits concurrent calls: per agent in a run, per tool over all runs, and to one call per key that they write. */
export interface CallScheduler {
  /**
   * Starts the work once a slot is free and no other call of this process writes `key`. Calls of one scheduler with one
   * key start in the order of arrival. Rejects with the signal's reason when it aborts before that.
   */
  take<T>(request: SlotRequest, signal: AbortSignal, start: () => Work<T>): Promise<T>
  /** Runs the attempts of calls with one key sequentially, in the order of arrival. They take their slots themselves. */
  inTurn<T>(key: string, signal: AbortSignal, attempts: () => Promise<T>): Promise<T>
}

interface SlotRequest {
  readonly tool: Tool
  readonly key?: string | undefined
}

export function createCallScheduler(concurrency: number): CallScheduler {
  const runLimit = new ConcurrencyLimit('this run', concurrency)
  const keyLimits = new Map<string, ConcurrencyLimit>()
  const turns = new Map<string, Semaphore>()
  return {
    inTurn(key, signal, attempts) {
      const turn = turns.get(key) ?? new Semaphore(1)
      turns.set(key, turn)
      return turn.run(signal, attempts)
    },
    take({ tool, key }, signal, start) {
      const toolLimit = limitOfTool(tool)
      const rate = paceOfTool(tool)
      if (key === undefined && !toolLimit && !rate && runLimit.hasFreeSlot)
        return runLimit.runNow(signal, start)
      // The run's slot comes after those of key and tool: a call that waits for them must not block others.
      // The rate comes last, since it counts starts of functions.
      const slots = [toolLimit, runLimit]
      if (key === undefined) return workInSlots([...slots, rate], signal, start).result
      const keyLimit = keyLimits.get(key) ?? new ConcurrencyLimit(keyName(key), 1)
      keyLimits.set(key, keyLimit)
      return workInSlots([keyLimit], signal, () => runWithKey({ key, slots, rate, signal, start })).result
    },
  }
}

const unlimited = Number.POSITIVE_INFINITY

/** A limit of work that starts, or of work in progress. */
export interface Slots {
  /** Calls `start` once a slot is free, and holds the slot until the returned promise resolves. */
  run(signal: AbortSignal, start: () => Promise<void>): Promise<void>
  /** Watches work that holds a slot. */
  watch?(work: Work<unknown>): void
}

const limitOfTool = onceFor(({ name, settings: { concurrency = unlimited } }: Tool) =>
  concurrency === unlimited ? undefined : new ConcurrencyLimit(`"${name}"`, concurrency),
)

const paceOfTool = onceFor(({ settings: { rate } }: Tool) => rate && paceOf(rate))

/** Limits starts: work takes no slot, and waits for its turn alone. */
export function paceOf(rate: RateLimit): Slots {
  const queue = rate.createQueue()
  return {
    async run(signal, start) {
      const within = contexts?.getStore()
      let running: Promise<void> | undefined
      // The queue starts it within the call that was before it.
      const begin = async () => {
        running = contexts?.run(within, start) ?? start()
      }
      await queue.add(begin, { signal })
      return running
    },
  }
}

/** Starts work once it has a slot of each limit. The slots stay taken until the work settles, even after its result. */
function workInSlots<T>(
  limits: readonly (Slots | undefined)[],
  signal: AbortSignal,
  start: () => Work<T>,
): Work<T> {
  let settled: Promise<void> | undefined
  const result = new Promise<T>((resolve, reject) => {
    const begin = () => {
      const work = start()
      settled = work.settled
      for (const limit of limits) limit?.watch?.(work)
      work.result.then(resolve, reject)
      return work.settled
    }
    const enter = (index: number): Promise<void> => {
      if (index === limits.length) return begin()
      return limits[index]?.run(signal, () => enter(index + 1)) ?? enter(index + 1)
    }
    enter(0).catch(reject)
  })
  return { result, settled: result.then(ignore, ignore).then(() => settled) }
}

/** A call that writes a key, with what it starts. */
interface KeyHolder {
  readonly key: string
  /** The call whose function started the run of this one. */
  readonly within: KeyHolder | undefined
  /** Locks for calls within this one: they may write its key, one after another. */
  readonly locks: Map<string, KeyLock>
  isOver: boolean
}

interface KeyedCall<T> {
  readonly key: string
  readonly slots: readonly (ConcurrencyLimit | undefined)[]
  readonly rate: Slots | undefined
  readonly signal: AbortSignal
  readonly start: () => Work<T>
}

/**
 * Runs work while no other call of this process writes its key. A call waits for its key without slots, and for slots
 * without its key: functions may run agents, and so wait for calls of other runs. A runtime that does not tell which
 * call a run is within (a browser) leaves it to each run to keep the order of its own calls.
 */
function runWithKey<T>({ key, slots, rate, signal, start }: KeyedCall<T>): Work<T> {
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
  contexts ??= hooks && new hooks.AsyncLocalStorage()
  if (!contexts) return workInSlots([...slots, rate], signal, start)
  let within = contexts.getStore()
  // What a call leaves behind when it ends is no longer within it.
  while (within?.isOver) within = within.within
  const outer = ancestors(within).find((holder) => holder.key === key && !holder.isOver)
  const locks = outer?.locks ?? processLocks
  const lock = locks.get(key) ?? new KeyLock(key, locks)
  lock.enter()
  let work: Work<T> | undefined
  const begin = () => {
    if (lock.isHeld) return { result: Promise.resolve(notFree), settled: Promise.resolve() }
    const holder = { key, within, locks: new Map(), isOver: false }
    work = lock.hold(holder, () => workInSlots([rate], signal, () => contexts?.run(holder, start) ?? start()))
    return work
  }
  const run = async (): Promise<T> => {
    for (;;) {
      if (lock.isHeld) await lock.wait(within, signal)
      // The next call may have its slots earlier.
      if (slots.some((slot) => slot?.hasFreeSlot === false)) lock.wake()
      const result = await workInSlots<T | typeof notFree>(slots, signal, begin).result
      if (result !== notFree) return result as T
    }
  }
  const result = run()
  const settled = result.then(ignore, ignore).then(() => {
    // A call that was woken and did not start.
    if (!work && !lock.isHeld) lock.wake()
    return work?.settled
  })
  void settled.then(() => lock.leave())
  return { result, settled }
}

const notFree = Symbol()

/** The call that the current code runs within. Made for the first call with a key: other programs do not pay for it. */
let contexts: import('node:async_hooks').AsyncLocalStorage<KeyHolder | undefined> | undefined

const processLocks = new Map<string, KeyLock>()

/** Calls that wait for a key within another call. */
const nestedWaits = new Set<{ readonly lock: KeyLock; readonly within: KeyHolder }>()

/** A key of this process, or of the calls within one that holds the key. It exists while calls use it. */
class KeyLock {
  readonly #key: string
  readonly #locks: Map<string, KeyLock>
  /** Wakes the waiting calls. */
  readonly #waiting = new Set<() => void>()
  #holder: KeyHolder | undefined
  #isStuck = false
  #users = 0

  constructor(key: string, locks: Map<string, KeyLock>) {
    this.#key = key
    this.#locks = locks
  }

  get isHeld(): boolean {
    return this.#holder !== undefined
  }

  enter(): void {
    this.#users += 1
    this.#locks.set(this.#key, this)
  }

  /** Starts work that holds the key. Calls within it may look for the holder before `start` returns. */
  hold<T>(holder: KeyHolder, start: () => Work<T>): Work<T> {
    this.#holder = holder
    const work = start()
    const fail = () => {
      this.#isStuck = true
      for (const wake of this.#waiting) wake()
    }
    watchWork(work, fail, () => {
      holder.isOver = true
      this.#isStuck = false
      this.#holder = undefined
      this.wake()
    })
    return work
  }

  /** Resolves when the call may try again. */
  async wait(within: KeyHolder | undefined, signal: AbortSignal): Promise<void> {
    if (within && this.#waitsFor(within)) throw this.#circleError()
    const nested = within && { lock: this, within }
    if (nested) nestedWaits.add(nested)
    let wake = ignore
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    this.#waiting.add(wake)
    try {
      if (!this.#isStuck) await abortable(signal, woken)
    } finally {
      this.#waiting.delete(wake)
      if (nested) nestedWaits.delete(nested)
    }
    if (this.#isStuck) throw stuckError(keyName(this.#key), 1)
  }

  /** Lets the call that has waited longest try. */
  wake(): void {
    const [first] = this.#waiting
    if (!first) return
    this.#waiting.delete(first)
    first()
  }

  leave(): void {
    this.#users -= 1
    if (this.#users === 0) this.#locks.delete(this.#key)
  }

  /** Whether the call that holds this key waits for one that this call is within. */
  #waitsFor(within: KeyHolder, seen = new Set<KeyHolder>()): boolean {
    const holder = this.#holder
    if (!holder || seen.has(holder)) return false
    seen.add(holder)
    if (ancestors(within).includes(holder)) return true
    return [...nestedWaits].some(
      (one) => ancestors(one.within).includes(holder) && one.lock.#waitsFor(within, seen),
    )
  }

  #circleError(): CapstanError {
    const message = `Call not run: ${keyName(this.#key)} is held by a call that waits for this one. Let runs within a call write no other keys.`
    return forModel(new CapstanError('conflict', message, { evidence: { key: this.#key } }))
  }
}

function keyName(key: string): string {
  return `the key "${key}"`
}

function ancestors(within: KeyHolder | undefined): readonly KeyHolder[] {
  return within ? [within, ...ancestors(within.within)] : []
}

/**
 * Limits concurrent calls. A slot stays taken until its work settles. Waiting calls fail once timed-out work has held
 * every slot for a second, instead of waiting forever.
 */
export class ConcurrencyLimit implements Slots {
  readonly #semaphore: Semaphore
  /** The subject of the limit, for errors. */
  readonly #of: string
  readonly #concurrency: number
  /** Aborts the waiting calls once every slot is stuck. */
  #failing = new AbortController()
  /** Slots held by timed-out work. */
  #stuck = 0

  constructor(of: string, concurrency: number) {
    this.#of = of
    this.#concurrency = concurrency
    this.#semaphore = new Semaphore(concurrency)
  }

  run(signal: AbortSignal, start: () => Promise<void>): Promise<void> {
    // With a free slot there is no wait to cancel.
    if (this.hasFreeSlot) return this.#semaphore.run(signal, start)
    const waiting = joinSignals([signal, this.#failing.signal])
    const begin = () => {
      waiting.release()
      return start()
    }
    return this.#semaphore.run(waiting.signal, begin).finally(waiting.release)
  }

  /** Whether work would start at once. */
  get hasFreeSlot(): boolean {
    return this.#semaphore.hasFreeSlot
  }

  /** Starts work in a slot that is free. It holds the slot until it settles, even after its result. */
  runNow<T>(signal: AbortSignal, start: () => Work<T>): Promise<T> {
    this.#semaphore.tryTake()
    try {
      signal.throwIfAborted()
      const work = start()
      void work.settled.then(() => this.#semaphore.release())
      // Its result comes before its end only when it is cut off.
      work.result.catch(() => this.watch(work))
      return work.result
    } catch (error) {
      this.#semaphore.release()
      return Promise.reject(error)
    }
  }

  /** Watches work that holds a slot: it counts as stuck a second after its result, until it settles. */
  watch(work: Work<unknown>): void {
    const count = () => {
      this.#stuck += 1
      if (this.#stuck === this.#concurrency) this.#failing.abort(stuckError(this.#of, this.#concurrency))
    }
    watchWork(work, count, (wasStuck) => {
      if (!wasStuck) return
      this.#stuck -= 1
      if (this.#failing.signal.aborted) this.#failing = new AbortController()
    })
  }
}

/** Reports work that has not settled a second after its result, and its end. */
function watchWork(
  { result, settled }: Work<unknown>,
  onStuck: () => void,
  onEnd: (wasStuck: boolean) => void,
): void {
  let isSettled = false
  let isStuck = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const startTimer = () => {
    if (isSettled) return
    timer = setTimeout(() => {
      isStuck = true
      onStuck()
    }, graceMs)
  }
  result.then(startTimer, startTimer)
  void settled.then(() => {
    isSettled = true
    clearTimeout(timer)
    onEnd(isStuck)
  })
}

function stuckError(of: string, concurrency: number): CapstanError {
  const message = `Call not run: timed-out calls hold every slot of ${of} (${concurrency}). Make the tool respect ctx.signal.`
  return forModel(new CapstanError('timeout', message, { evidence: { concurrency } }))
}

/** Work that respects its signal settles sooner than this after its deadline. */
const graceMs = 1000

/** The place of a call among the calls of its reply. */
export interface KeyPlace {
  /** Resolves once every earlier call has taken its key or will not run. */
  waitForEarlier(signal: AbortSignal): Promise<void>
  /** Lets later calls continue. */
  pass(): void
}

/** Keeps the calls of one reply in order until each has taken its key. */
export class KeyOrder {
  #passed: Promise<void> | undefined

  /** Adds a call. To be called in call order, before any other work on the call. */
  join(): KeyPlace {
    const earlier = this.#passed
    let pass = ignore
    const own = new Promise<void>((resolve) => {
      pass = resolve
    })
    this.#passed = earlier ? earlier.then(() => own) : own
    return { waitForEarlier: (signal) => abortable(signal, earlier), pass }
  }
}
