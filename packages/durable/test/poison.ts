import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type AnyAgent,
  type ChildRunner,
  type CreateHost,
  type Decisions,
  type HostContext,
  memoryHost,
  type RunHost,
  type RunResult,
  type RunState,
  type Step,
} from '@capstan/core'

type Place = 'loop' | 'settle' | 'step'

/** Records uses of the clock, randomness, timers, the network and `Promise` combinators between a run's steps. */
export class Poison {
  /** The uses found, with the line in core. */
  readonly found = new Set<string>()
  /** The uses while a child run is being settled, which hosts do within the child run's step. */
  readonly foundInSettle = new Set<string>()
  readonly #place = new AsyncLocalStorage<Place>()
  readonly #restore: (() => void)[] = []

  constructor() {
    for (const [name, holder, key] of touchy()) this.#wrap(name, holder as Record<string, unknown>, key)
    this.#wrapDate()
  }

  /** Executes a run as an engine does: all code outside the steps counts as the loop. */
  readonly proceed: ChildRunner['proceed'] = (state, binding) => {
    const agent = binding.agents.get(state.agent)
    if (!agent) throw new Error(`No agent "${state.agent}"`)
    return this.#watched(agent).proceed(state, { ...this.#within(binding), hostWithin: this.#host })
  }

  /** The same, but with `agent.run` on a host. */
  run(agent: AnyAgent, state: RunState, decisions: Decisions = {}): Promise<RunResult> {
    const options = { host: this.#host, decisions, context: undefined as never }
    return this.#place.run('loop', () => agent.run(state, options))
  }

  end(): void {
    for (const restore of this.#restore) restore()
  }

  #within(binding: HostContext): HostContext {
    const agents = [...binding.agents].map(([name, agent]) => [name, this.#watched(agent)] as const)
    return { ...binding, agents: new Map(agents) }
  }

  #watched(agent: ChildRunner): ChildRunner {
    return {
      name: agent.name,
      start: (input, run) => agent.start(input, run),
      proceed: (state, binding) => this.#place.run('loop', () => agent.proceed(state, binding)),
    }
  }

  readonly #host: CreateHost = (binding) => {
    const inner = memoryHost({ ...this.#within(binding), hostWithin: this.#host })
    const apart = <T>(work: () => T): T => this.#place.run('step', work)
    const watched = <T>(step: Step<T>): Step<T> =>
      'run' in step
        ? step
        : { ...step, settle: (state) => this.#place.run('settle', () => step.settle(state)) }
    const host: RunHost = {
      step: (step) => apart(() => inner.step(watched(step))),
      all: (steps) => apart(() => inner.all(steps.map(watched))),
      waitFor: (key, options) => apart(() => inner.waitFor(key, options)),
      now: () => apart(inner.now),
      id: (key) => apart(() => inner.id(key)),
      sleep: (key, ms) => apart(() => inner.sleep(key, ms)),
      retries: 'core',
    }
    return host
  }

  #note(name: string): void {
    const place = this.#place.getStore()
    if (place === undefined || place === 'step') return
    const lines = new Error(name).stack?.split('\n') ?? []
    const line = lines.find((one) => one.includes('packages/core/src')) ?? lines[3] ?? ''
    const found = place === 'loop' ? this.found : this.foundInSettle
    found.add(`${name} in ${/src\/[^:)]*/.exec(line)?.[0] ?? line.trim()}`)
  }

  #wrap(name: string, holder: Record<string, unknown>, key: string): void {
    const own = Object.getOwnPropertyDescriptor(holder, key)
    const before = holder[key] as (...args: unknown[]) => unknown
    const note = () => this.#note(name)
    const value = function (this: unknown, ...args: unknown[]) {
      note()
      return Reflect.apply(before, this, args)
    }
    Object.defineProperty(holder, key, { value, configurable: true, writable: true })
    this.#restore.push(() => {
      if (own) Object.defineProperty(holder, key, own)
      else delete holder[key]
    })
  }

  #wrapDate(): void {
    const before = globalThis.Date
    const note = () => this.#note('new Date()')
    globalThis.Date = new Proxy(before, {
      construct(target, args, made) {
        if (args.length === 0) note()
        return Reflect.construct(target, args, made === globalThis.Date ? target : made)
      },
    })
    this.#restore.push(() => {
      globalThis.Date = before
    })
  }
}

function touchy(): readonly (readonly [name: string, holder: object, key: string])[] {
  const joins = ['all', 'allSettled', 'race', 'any'].map((key) => [`Promise.${key}`, Promise, key] as const)
  const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch'].map(
    (key) => [key, globalThis, key] as const,
  )
  return [
    ...joins,
    ...timers,
    ['Date.now', Date, 'now'],
    ['performance.now', performance, 'now'],
    ['Math.random', Math, 'random'],
    ['process.nextTick', process, 'nextTick'],
    ['crypto.randomUUID', crypto, 'randomUUID'],
    ['crypto.getRandomValues', crypto, 'getRandomValues'],
    ['crypto.subtle.digest', crypto.subtle, 'digest'],
    ['AbortSignal.timeout', AbortSignal, 'timeout'],
  ]
}
