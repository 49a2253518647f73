import { abortable, ignore, Semaphore, type Work } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
import { nodeModule } from '../json.js'
import type { Feature } from '../run/feature.js'
import type { Tool } from '../run/middleware.js'
import {
  ConcurrencyLimit,
  createCallScheduler,
  type SlotScheduler,
  type Slots,
  type SlotTurn,
  slotsOf,
  stuckError,
  watchWork,
  workInSlots,
} from '../tools/concurrency.js'

/**
 * Lets the tool setting `effects` be a function that returns a key. Calls with the same key run one at a time, across
 * all runs of this process.
 */
export function effectKeys(): Feature {
  return {
    name: 'effect-keys',
    toolSettings: ['effects'],
    createScheduler: createKeyScheduler,
  }
}

/** Creates a scheduler that starts calls with the same key in order of arrival and keeps a call's attempts together. */
export function createKeyScheduler(concurrency: number): SlotScheduler {
  const runLimit = new ConcurrencyLimit('this run', concurrency)
  const plain = createCallScheduler(concurrency, runLimit)
  const keyLimits = new Map<string, ConcurrencyLimit>()
  const turns = new Map<string, Semaphore>()
  const orders = new WeakMap<object, KeyOrder>()
  const inTurn = <T>(key: string, signal: AbortSignal, attempts: () => Promise<T>): Promise<T> => {
    const turn = turns.get(key) ?? new Semaphore(1)
    turns.set(key, turn)
    return turn.run(signal, attempts)
  }
  return {
    ...plain,
    join(tool, step): SlotTurn | undefined {
      // Only calls that write to a key have a place in the order.
      if (typeof tool.settings.effects !== 'function') return undefined
      const order = orders.get(step) ?? new KeyOrder()
      orders.set(step, order)
      const { waitForEarlier, pass } = order.join()
      return {
        pass,
        async run(call, attempts) {
          const key = keyOf(tool, call.arguments)
          call.key = key
          await waitForEarlier(call.signal)
          const result = inTurn(key, call.signal, attempts)
          pass()
          return result
        },
      }
    },
    take(request, signal, start) {
      const { tool, key } = request
      if (key === undefined) return plain.take(request, signal, start)
      // Takes the run's slot last, so that a call that is waiting for its key or its tool's slot does not block others.
      const [toolLimit, rate] = slotsOf(tool)
      const keyLimit = keyLimits.get(key) ?? new ConcurrencyLimit(keyName(key), 1)
      keyLimits.set(key, keyLimit)
      const slots = [toolLimit, runLimit]
      return workInSlots([keyLimit], signal, () => runWithKey({ key, slots, rate, signal, start })).result
    },
  }
}

/**
 * Returns the key that a call writes to.
 * @throws TypeError if `effects` returns anything but a string
 */
function keyOf({ name, settings }: Tool, args: unknown): string {
  const effects = settings.effects as (args: unknown) => unknown
  const key = effects(args)
  if (typeof key === 'string') return key
  throw new TypeError(`effects of "${name}" must return a string that names what the call writes.`)
}

/** A call that has locked its key. The runs that its function starts are within the call. */
interface KeyHolder {
  readonly key: string
  /** The call whose function started this call's run. */
  readonly within: KeyHolder | undefined
  /** Locks for the calls within this call. Those calls may write to the same key, one at a time. */
  readonly locks: Map<string, KeyLock>
  isOver: boolean
}

interface KeyedWork<T> {
  readonly key: string
  readonly slots: readonly (ConcurrencyLimit | undefined)[]
  readonly rate: Slots | undefined
  readonly signal: AbortSignal
  readonly start: () => Work<T>
}

/**
 * Runs work while no other call in this process writes to its key. A call takes no slots while it is waiting for its
 * key, and does not lock its key while it is waiting for slots, because its function may run an agent whose calls wait
 * for calls in other runs. Without `node:async_hooks`, as in browsers, Capstan cannot tell which call started a run, so
 * only calls in the same run take turns.
 */
function runWithKey<T>({ key, slots, rate, signal, start }: KeyedWork<T>): Work<T> {
  const hooks = nodeModule('node:async_hooks')
  contexts ??= hooks && new hooks.AsyncLocalStorage()
  if (!contexts) return workInSlots([...slots, rate], signal, start)
  let within = contexts.getStore()
  // Work that a call leaves running when it ends is no longer within the call.
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
      // The next call may get its slots sooner.
      if (slots.some((slot) => slot?.hasFreeSlot === false)) lock.wake()
      const result = await workInSlots<T | typeof notFree>(slots, signal, begin).result
      if (result !== notFree) return result as T
    }
  }
  const result = run()
  const settled = result.then(ignore, ignore).then(() => {
    // This call was woken but has not started, so the next one is woken.
    if (!work && !lock.isHeld) lock.wake()
    return work?.settled
  })
  void settled.then(() => lock.leave())
  return { result, settled }
}

const notFree = Symbol()

/**
 * Stores the call that the current code belongs to. The storage is created when a call first uses a key, so programs
 * without keys have no overhead.
 */
let contexts: import('node:async_hooks').AsyncLocalStorage<KeyHolder | undefined> | undefined

const processLocks = new Map<string, KeyLock>()

/** The nested calls that are waiting for a key. */
const nestedWaits = new Set<{ readonly lock: KeyLock; readonly within: KeyHolder }>()

/**
 * A key's lock. Each key has one lock for the process, and one lock for the calls within a call that has locked the
 * key. A lock is removed when no call uses it.
 */
class KeyLock {
  readonly #key: string
  readonly #locks: Map<string, KeyLock>
  /** Functions that wake the waiting calls, the longest wait first. */
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

  /** Starts work under the lock. Calls within the work may look for the holder before `start` returns. */
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

  /**
   * Resolves when the call may try again.
   * @throws CapstanError if the call that has the lock is stuck, or is waiting for this call
   */
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

  /** Lets the call that has waited longest try to take the lock. */
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

  /**
   * Whether the call that has the lock contains `within`, or is itself waiting for locks that lead to a call that does.
   */
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
    const message = `Did not run: ${keyName(this.#key)} is locked by a call that waits for this one.`
    return forModel(new CapstanError('conflict', message, { evidence: { key: this.#key } }))
  }
}

function keyName(key: string): string {
  return `the key "${key}"`
}

function ancestors(within: KeyHolder | undefined): readonly KeyHolder[] {
  return within ? [within, ...ancestors(within.within)] : []
}

/** A call's position among the calls of its reply. */
interface KeyPlace {
  /** Resolves once every earlier call has taken its key or will not run. */
  waitForEarlier(signal: AbortSignal): Promise<void>
  /** Lets later calls continue. */
  pass(): void
}

/** Keeps the calls of one reply in order until each has taken its key. */
class KeyOrder {
  #passed: Promise<void> | undefined

  /** Adds a call. Must be called in the order of the reply's calls, before any other work on the calls. */
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
