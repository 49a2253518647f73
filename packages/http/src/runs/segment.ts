import {
  type AnyAgent,
  type CreateHost,
  type HostContext,
  isCapstanError,
  type PendingCall,
  type Run,
  type RunEvent,
  type RunInput,
  type RunOptions,
  type RunResult,
  type RunState,
  type SessionStore,
  type StepContext,
} from '@capstan/core'
import { abortable, joinSignals, memoryHost, toJsonText, wrapHost } from '@capstan/core/internal'
import type { RunEntry, RunStore, StoredEvent } from '@capstan/stores'
import { EntryWriter } from './entry-writer.js'
import { EventWriter } from './event-writer.js'
import {
  decidedOn,
  type FoundRun,
  type RunRecord,
  readRecord,
  type StoredError,
  toStoredResult,
  waitOf,
  withEnd,
  withRecord,
} from './record.js'
import { type StoreClock, sleep } from './store.js'

/** A run that is about to start or to continue in this process. */
export interface SegmentPlan {
  readonly runId: string
  readonly entry: RunEntry
  /** The entry's version; 0 for a run that is not stored yet. */
  readonly version: number
  /** The `seq` of the last stored event. */
  readonly last: number
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly options: Omit<RunOptions<never>, 'context'> & { readonly context: never }
  /** Whether model replies are streamed. */
  readonly isStreamed: boolean
}

export interface SegmentSettings {
  readonly store: RunStore
  readonly clock: StoreClock
  /** The name under which this process holds the lease for this segment. */
  readonly by: string
  readonly leaseMs: number
  readonly keepRunsMs: number
  readonly keepPendingMs: number
  /** Returns how long a call may stay pending, in milliseconds. */
  expiresInMs(call: PendingCall): number
  toStoredError(error: unknown): StoredError
  /** Called after pending calls have been stored. */
  onPending(found: FoundRun, calls: readonly PendingCall[]): void
  /** Called for an error that does not stop the run. */
  onError(error: unknown): void
}

/**
 * How a segment ended in this process: with `result`, the run has ended or is pending; with `error`, it has failed;
 * with `cut`, it continues elsewhere.
 */
export type SegmentOutcome =
  | { readonly result: RunResult }
  | { readonly error: unknown }
  | { readonly cut: unknown }

/**
 * Executes a run in this process, from its start or a decision until it ends or waits for the next decision. Emits
 * events once they are stored. Stores the state before each step and renews the lease, so that another process can take
 * over.
 */
export class RunSegment {
  readonly runId: string
  /** Resolves when the first event is stored; rejects if the run fails before that. */
  readonly started: Promise<void>
  /** Resolves when this process has stored everything. */
  readonly over: Promise<SegmentOutcome>
  /** Whether `over` has resolved. */
  isOver = false
  /** Whether the run has ended and this process knows its result. */
  hasEnded = false
  /** The state before the step that started last. Absent before the first step. */
  state: RunState | undefined
  readonly #settings: SegmentSettings
  readonly #plan: SegmentPlan
  readonly #controller = new AbortController()
  readonly #entries: EntryWriter
  readonly #events: EventWriter
  #run: Run<RunResult> | undefined
  /** Ids of calls that are pending while the run waits in this process. */
  readonly #waiting = new Set<string>()
  readonly #effects = new Effects()

  constructor(plan: SegmentPlan, settings: SegmentSettings) {
    const { runId, entry, version, last } = plan
    const { store, clock, by, leaseMs } = settings
    this.runId = runId
    this.#plan = plan
    this.#settings = settings
    const onChange = (record: RunRecord) => this.#changed(record)
    this.#entries = new EntryWriter({ runId, entry, version, store, clock, by, leaseMs, onChange })
    const { created, guarded } = this.#entries
    this.#events = new EventWriter({ runId, store, last, created, guarded })
    this.over = this.#untilOver()
    this.started = Promise.race([this.#events.first, this.#failure()])
    this.started.catch(() => {})
  }

  async #untilOver(): Promise<SegmentOutcome> {
    const ended = await this.#execute()
    this.isOver = true
    this.hasEnded = !('cut' in ended)
    this.#entries.end()
    this.#events.end()
    return ended
  }

  /**
   * Waits for the segment's end.
   * @throws the run's error, if it fails before it is stored or ends with an error
   */
  async #failure(): Promise<void> {
    const ended = await this.over
    if ('error' in ended) throw ended.error
    // A run that has been stored continues elsewhere.
    if ('cut' in ended && this.#entries.version === 0) throw ended.cut
  }

  /** The run, as it was last written to the store. */
  get found(): FoundRun {
    const { entry, version, record } = this.#entries
    return { runId: this.runId, entry, version, record }
  }

  /** Returns the stored events with a `seq` above `after`. Undefined if those events are only in the store. */
  recent(after: number): readonly StoredEvent[] | undefined {
    return this.#events.recent(after)
  }

  /** Resolves when the next event is stored, the segment has ended or the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return this.#events.changed(signal)
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Changes the stored entry, and keeps the lease. Returns the entry's new version. */
  async change(change: (entry: RunEntry) => RunEntry): Promise<number> {
    await this.#entries.update(change)
    this.#changed(this.#entries.record)
    return this.#entries.version
  }

  /**
   * Releases the run, so that another process can take over immediately. New effects no longer start, and effects in
   * progress have `effectsMs` to end. Resolves when this process has stored everything.
   */
  async handOver(reason: unknown, effectsMs: number): Promise<void> {
    await Promise.race([this.#effects.stop(effectsMs), this.over])
    if (this.isOver) return
    const leave = async () => {
      await this.#events.storedAll()
      await this.#entries.leave((entry) => {
        const notBegun = this.#effects.notBegun
        return withRecord({ ...entry, dueAt: this.#settings.clock.now() }, { notBegun })
      })
    }
    // The run may end by itself at this moment. If the store is unreachable, another process takes over when the lease
    // has expired.
    await leave().catch(() => {})
    this.#entries.lose(reason)
    await this.over
  }

  /** Applies the decisions and the abort request that other processes have stored. */
  #changed(record: RunRecord): void {
    if (record.isAborted) this.abort(new Error('the client aborted the run'))
    for (const callId of [...this.#waiting]) {
      const { decision } = decidedOn(callId, record) ?? {}
      if (!decision) continue
      this.#waiting.delete(callId)
      this.#run
        ?.decide(callId, decision)
        .catch(this.#settings.onError)
        .catch(() => {})
    }
  }

  async #execute(): Promise<SegmentOutcome> {
    try {
      const result = await this.#start()
      await this.#events.storedAll()
      await this.#end(result)
      return { result }
    } catch (error) {
      const { lost } = this.#entries
      if (lost.aborted) return { cut: lost.reason }
      return this.#fail(error)
    }
  }

  async #fail(error: unknown): Promise<SegmentOutcome> {
    // A run that failed before its first event was never stored.
    if (this.#entries.version === 0 && this.#events.isEmpty) return { error }
    try {
      await this.#events.storedAll()
      const { clock, keepRunsMs, toStoredError } = this.#settings
      const to = this.#events.stored
      const state = isCapstanError(error) ? error.state : undefined
      await this.#entries.leave((entry, record) => {
        const over = { status: 'failed', dueAt: clock.now() + keepRunsMs } as const
        const segments = withEnd(record, { to, error: toStoredError(error) })
        const kept = { segments, ...(state && { state: json(state), stateAt: to }) }
        return withRecord({ ...entry, ...over, callIds: callIdsOf(record, []) }, kept)
      })
    } catch (lost) {
      return { cut: lost }
    }
    return { error }
  }

  async #end(result: RunResult): Promise<void> {
    const { clock, keepRunsMs, keepPendingMs, onPending } = this.#settings
    const { state, pending = [] } = result
    const to = this.#events.stored
    const now = clock.now()
    const waits = this.#waitsOf(pending, now)
    const ends = Object.values(waits).map(({ expiresAt }) => expiresAt)
    const isPending = pending.length > 0
    const over = {
      status: isPending ? 'pending' : 'ended',
      dueAt: isPending ? Math.min(now + keepPendingMs, ...ends) : now + keepRunsMs,
    } as const
    await this.#entries.leave((entry, record) => {
      const callIds = callIdsOf(
        record,
        pending.map(({ callId }) => callId),
      )
      const segments = json(withEnd(record, { to, result: toStoredResult(result) }))
      return withRecord({ ...entry, ...over, callIds }, { state: json(state), stateAt: to, segments, waits })
    })
    if (isPending) onPending(this.found, pending)
  }

  /** Returns the pending calls with their expiry times. Calls that were already pending keep theirs. */
  #waitsOf(pending: readonly PendingCall[], since: number): RunRecord['waits'] {
    const { record } = this.#entries
    return Object.fromEntries(
      pending.map((call) => {
        const { callId } = call
        const expiresAt = since + this.#settings.expiresInMs(call)
        return [callId, waitOf(callId, record) ?? { call: json(call), expiresAt }] as const
      }),
    )
  }

  async #start(): Promise<RunResult> {
    const { agent, input, options, isStreamed } = this.#plan
    const { signal, release } = joinSignals([options.signal, this.#controller.signal, this.#entries.lost])
    const { session } = options
    const own = {
      ...options,
      ...(session && { session: { ...session, store: this.#whileHeld(session.store) } }),
      signal,
      observe: (event: RunEvent) => {
        options.observe?.(event)
        this.#push(event)
      },
      host: this.#host,
      onCheckpoint: (state: RunState) => this.#checkpoint(state),
    }
    const { wait } = this.#entries.record.start
    try {
      if (!isStreamed) return await agent.run(input, own)
      this.#run = agent.stream(input, { ...own, wait, detach: true, keepEvents: 0 })
      return await this.#run.result
    } finally {
      release()
    }
  }

  /** Returns a session store that rejects messages once another process may have the run. */
  #whileHeld(store: SessionStore): SessionStore {
    return {
      ...store,
      append: async (...given) => {
        this.#entries.checkHeld()
        return store.append(...given)
      },
    }
  }

  /** Delays each call until its start is stored, and stores results for a process that takes over the run. */
  readonly #host: CreateHost = (binding) => {
    const begin = async () => {
      await this.#events.storedAll()
      // Another process may have the run by now.
      this.#entries.checkHeld()
    }
    const within = (given: HostContext, isChild: boolean) =>
      wrapHost(memoryHost(given), {
        run: (step) => {
          const { kind, callId } = step.options ?? {}
          if (kind !== 'tool') return step
          const run = async (context: StepContext) => {
            const own = isChild ? undefined : callId
            const outcome = await this.#effects.count(own, given.signal, (counted) =>
              step.run({ ...context, begin: () => begin().then(counted) }),
            )
            if (!isChild && callId !== undefined) this.#events.keepOutcome(callId, outcome)
            return outcome
          }
          return { ...step, run }
        },
        ended: (step, outcome) => {
          if (!isChild && 'child' in step && outcome.ok)
            this.#events.keepOutcome(step.child.callId, outcome.value)
        },
      })
    return within({ ...binding, hostWithin: (child) => within(child, true) }, false)
  }

  #push(event: RunEvent): void {
    if (this.#entries.lost.aborted) return
    const isFirst = this.#events.isEmpty
    this.#events.push(event)
    if (event.type === 'call-pending' && this.#entries.record.start.wait) this.#ask(event)
    // Without checkpoints, the first event creates the entry.
    if (isFirst && this.#settings.store.isVolatile && this.#entries.version === 0)
      this.#entries.update((entry) => entry).catch(() => {})
  }

  async #checkpoint(state: RunState): Promise<void> {
    this.state = state
    if (this.#settings.store.isVolatile) return
    if (this.#entries.version > 0) await this.#events.storedAll()
    const stateAt = this.#events.stored
    // A run that makes progress is not the reason why its processes have died.
    const isFurther = state.stepCount > (readRecord(this.runId, this.#plan.entry).state?.stepCount ?? 0)
    const kept = { state: json(state), stateAt, ...(isFurther && { takeOvers: 0 }) }
    await this.#entries.update((entry, record) => withRecord({ ...entry, ...this.#statusIn(record) }, kept))
  }

  #statusIn(record: RunRecord): Pick<RunEntry, 'status' | 'callIds'> {
    const callIds = callIdsOf(record, [...this.#waiting])
    return { status: this.#waiting.size > 0 ? 'pending' : 'running', callIds }
  }

  /** Stores that a call is pending while the run waits here. */
  #ask({ callId, name, agent, arguments: args, kind, ...asked }: PendingCall): void {
    const { reason, message, schema, url } = asked
    const pending: PendingCall = {
      ...{ callId, name, arguments: args, kind },
      ...(agent === undefined ? {} : { agent }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(schema === undefined ? {} : { schema }),
      ...(url === undefined ? {} : { url }),
    }
    this.#waiting.add(callId)
    const stored = async () => {
      await this.#events.storedAll()
      const { store, clock } = this.#settings
      const more = this.#waitsOf([pending], clock.now())
      // A token needs the hash of the tools in the state, which has not been stored before.
      const state = store.isVolatile && this.state ? { state: json(this.state) } : {}
      await this.#entries.update((entry, record) =>
        withRecord(
          { ...entry, ...this.#statusIn(record) },
          { waits: { ...record.waits, ...more }, ...state },
        ),
      )
      this.#settings.onPending(this.found, [pending])
    }
    stored().catch(() => {})
  }
}

/** Counts the tool functions in progress, and can prevent new ones from starting. */
class Effects {
  #count = 0
  #isStopping = false
  readonly #waiting = new Set<string>()

  /** The ids of the agent's own calls whose functions have not started. */
  get notBegun(): readonly string[] {
    return [...this.#waiting]
  }

  /**
   * Runs `work`, and counts the functions that it starts as in progress until `work` ends. `work` must call `begin`
   * before each function.
   */
  async count<T>(
    callId: string | undefined,
    signal: AbortSignal,
    work: (begin: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let begun = 0
    if (callId !== undefined) this.#waiting.add(callId)
    const leaveWaiting = () => void (callId !== undefined && this.#waiting.delete(callId))
    try {
      return await work(async () => {
        // Another process makes the call.
        if (this.#isStopping) await abortable(signal, new Promise<never>(() => {}))
        leaveWaiting()
        this.#count += 1
        begun += 1
      })
    } finally {
      this.#count -= begun
      leaveWaiting()
    }
  }

  /**
   * Prevents functions from starting. Resolves when the functions in progress have ended, or after `mostMs`
   * milliseconds.
   */
  async stop(mostMs: number): Promise<void> {
    this.#isStopping = true
    const until = Date.now() + mostMs
    while (this.#count > 0 && Date.now() < until) await sleep(20)
  }
}

/**
 * Returns the ids by which a client finds the run: the ids of its pending calls, and of the calls that were decided
 * last.
 */
function callIdsOf(record: RunRecord, waiting: readonly string[]): readonly string[] {
  return [...new Set([...waiting, ...Object.keys(record.segments.at(-1)?.decisions ?? {})])]
}

function json<T>(value: T): T {
  return JSON.parse(toJsonText(value)) as T
}
