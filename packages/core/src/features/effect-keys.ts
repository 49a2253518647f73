import { abortable, ignore, Semaphore, type Work } from '../async.js'
import { CapstanError, forModel } from '../errors.js'
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

/** Supports a function as the tool setting `effects`: calls that write the same key run one at a time, across all runs. */
export function effectKeys(): Feature {
  return {
    name: 'effect-keys',
    toolSettings: ['effects'],
    createScheduler: createKeyScheduler,
  }
}

/** Calls with the same key start in order of arrival; the attempts of a call stay together. */
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
      // No call waits for one that writes no key.
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
      // The run's slot comes after those of key and tool: a call that waits for them must not block others.
      const [toolLimit, rate] = slotsOf(tool)
      const keyLimit = keyLimits.get(key) ?? new ConcurrencyLimit(keyName(key), 1)
      keyLimits.set(key, keyLimit)
      const slots = [toolLimit, runLimit]
      return workInSlots([keyLimit], signal, () => runWithKey({ key, slots, rate, signal, start })).result
    },
  }
}

/** @throws TypeError if `effects` returns anything but a string */
function keyOf({ name, settings }: Tool, args: unknown): string {
  const effects = settings.effects as (args: unknown) => unknown
  const key = effects(args)
  if (typeof key === 'string') return key
  throw new TypeError(`effects of "${name}" must return a string that names what the call writes.`)
}

/** A call that writes a key, with the runs that it starts. */
interface KeyHolder {
  readonly key: string
  /** The call whose function started this call's run. */
  readonly within: KeyHolder | undefined
  /** Locks for calls inside this one: they may write its key, one after another. */
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
 * Runs work while no other call of this process writes its key. A call holds no slots while it waits for its key, and
 * no key while it waits for slots, because functions may run agents and so wait for calls of other runs. Some runtimes
 * (browsers) cannot tell which call a run is within; there, each run orders its own calls.
 */
function runWithKey<T>({ key, slots, rate, signal, start }: KeyedWork<T>): Work<T> {
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

/** The call that the current code runs in. Created for the first call with a key, so other programs pay nothing. */
let contexts: import('node:async_hooks').AsyncLocalStorage<KeyHolder | undefined> | undefined

const processLocks = new Map<string, KeyLock>()

/** Calls that wait for a key within another call. */
const nestedWaits = new Set<{ readonly lock: KeyLock; readonly within: KeyHolder }>()

/**
 * The lock of a key: one per process, and one for the calls inside a call that holds the key. Removed when no call uses
 * it.
 */
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

  /** Starts work that has the key. Calls inside it may look for the holder before `start` returns. */
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

  /** Whether the call that has this key waits for a call that contains this one. */
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

  /** Adds a call. Call it in call order, before any other work on the call. */
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
