import {
  type AnyAgent,
  type Decisions,
  isCapstanError,
  type Json,
  type RunInput,
  type RunState,
} from '@capstan/core'
import type { RunEntry, RunStore } from '@capstan/stores'
import { closing, HttpError, reportError } from '../http-error.js'
import type { Settings } from '../options.js'
import { Quota } from '../quota.js'
import {
  messagesOf,
  type PreparedRun,
  prepareRun,
  type RunHandler,
  type RunOwner,
  type StartOptions,
} from '../start-run.js'
import { expiryOf, tellPending } from './pending.js'
import {
  type Continuation,
  decisionsOn,
  type NextSegment,
  newEntry,
  planOf,
  started,
  toStoredError,
} from './plan.js'
import { Readers } from './readers.js'
import {
  type ClientState,
  type FoundRun,
  isOver,
  newestSegment,
  newSegment,
  segmentOf,
  toFoundRun,
  withRecord,
  withSegment,
} from './record.js'
import { RunSegment, type SegmentOutcome, type SegmentPlan } from './segment.js'
import { hintKey, StoreClock, sleep, unlessConflict } from './store.js'

/** The part of a run that a client reads: from one segment to the newest, or everything. */
export interface Following {
  readonly runId: string
  /** The number of the last segment to read. Default: all segments, including those that start later. */
  readonly segment?: number
  /** The `seq` of the last event to skip. */
  readonly after: number
  /** The parts of the run's state that the client already had. */
  readonly before: ClientState
  /** The decisions that the segment started with. */
  readonly decisions: Decisions
  readonly head: Readonly<Record<string, Json>>
  /** The segment, if this process is executing it. */
  readonly live?: RunSegment | undefined
}

/** Manages a handler's runs, in this process and in the store. */
export class Runs {
  readonly store: RunStore
  readonly clock: StoreClock
  readonly settings: Settings
  readonly #handler: () => RunHandler
  readonly #live = new Map<string, RunSegment>()
  readonly #active: Quota
  readonly readers = new Readers()
  readonly #process = crypto.randomUUID()
  #segments = 0
  /** Aborts when the handler closes, to cut off all readers. */
  readonly #closed = new AbortController()
  /** Whether the handler is closing, so no run may start. */
  isClosing = false

  constructor(settings: Settings, handler: () => RunHandler) {
    const { runs: store, maxRuns, maxRunsPerUser } = settings
    this.store = store
    this.clock = new StoreClock(store)
    this.settings = settings
    this.#handler = handler
    this.#active = new Quota({ total: maxRuns, perUser: maxRunsPerUser })
  }

  /** Aborts when the handler closes and readers should stop. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Returns the segment of a run that this process is executing. Undefined if there is none. */
  liveOf(runId: string): RunSegment | undefined {
    return this.#live.get(runId)
  }

  /**
   * Checks the limits on concurrent runs, for all users and for this one.
   * @throws HttpError 429 when a limit is reached; 503 when the handler is closing
   */
  check(owner: string): void {
    if (this.isClosing) throw closing()
    const exceeded = this.#active.exceededBy(owner)
    if (!exceeded) return
    const { maxRuns, maxRunsPerUser } = this.settings
    const message =
      exceeded === 'total'
        ? `Too many concurrent runs (limit ${maxRuns}). Retry later.`
        : `You have too many concurrent runs (limit ${maxRunsPerUser}). Retry when one has ended.`
    throw new HttpError(429, 'too_many_runs', message, { 'retry-after': '1' })
  }

  /**
   * Starts a run, and resolves once its first event is stored.
   * @throws HttpError 429 if too many runs are active; the run's error if it fails before its first event
   */
  async start(start: StartOptions, ctx: RunOwner): Promise<Following> {
    const { user } = ctx
    const runId = crypto.randomUUID()
    return this.#within(user.id, async (hold) => {
      const prepared = await prepareRun(start, ctx, runId)
      const { agent, tools = [], head = {} } = start
      const segment = newSegment({ tools, head })
      const entry = newEntry(start, { owner: user.id, segment, now: this.clock.now() })
      const plan = { runId, entry, version: 0, last: -1, agent, ...planOf(start, prepared) }
      const live = this.#launch(plan, this.newHolder(), { start, ctx, prepared, hold })
      await started(live, prepared)
      return { ...segment, runId, segment: 0, live }
    })
  }

  /** Returns a user's run. Undefined if it is no longer kept or belongs to another user. */
  async find(owner: string, runId: string): Promise<FoundRun | undefined> {
    try {
      const stored = await this.store.get(runId)
      const found = stored && toFoundRun(runId, stored)
      return found?.entry.owner === owner && this.isKept(found.entry) ? found : undefined
    } catch (error) {
      // No run can have this id.
      if (isCapstanError(error) && error.code === 'invalid_request') return undefined
      throw error
    }
  }

  /** Returns a user's newest run for a chat, or for a call that is pending or was decided last. */
  async newest(
    owner: string,
    of: { readonly callId: string } | { readonly chat: string },
  ): Promise<FoundRun | undefined> {
    const { runs } = await this.store.list({ owner, ...of, limit: 10 })
    const [first] = runs
      .filter(({ entry }) => this.isKept(entry))
      .sort((a, b) => b.entry.createdAt - a.entry.createdAt)
    return first && toFoundRun(first.runId, first)
  }

  /** Whether a run can still be read. If not, the next sweep removes it. */
  isKept(entry: RunEntry): boolean {
    const { dueAt = Number.POSITIVE_INFINITY } = entry
    return !isOver(entry) || dueAt > this.clock.now()
  }

  /** Whether a process is executing a run or waiting for decisions on its calls. */
  isHeld({ entry: { lease } }: FoundRun): boolean {
    return lease !== undefined && lease.until > this.clock.now()
  }

  /** Whether the process that was executing a run has died or released it. */
  isLost(found: FoundRun): boolean {
    const { runId, entry, record } = found
    const isOpen = segmentOf(record, newestSegment(record))?.to === undefined
    return isOpen && !isOver(entry) && !this.isHeld(found) && !this.#live.has(runId)
  }

  /**
   * Returns the part of a run that a client reads: the segments from number `from` on. Default: only the newest one.
   */
  following(found: FoundRun, from = newestSegment(found.record)): Following {
    const { runId, record } = found
    const { after, before, decisions, head } = segmentOf(record, from) ?? newSegment(record.segments[0])
    const live = this.#live.get(runId)
    return { runId, segment: newestSegment(record), after, before, decisions, head, live }
  }

  /**
   * Loads a run again, with its current entry.
   * @throws HttpError 404 if it is no longer kept
   */
  async again({ runId, entry }: FoundRun): Promise<FoundRun> {
    const found = await this.find(entry.owner, runId)
    if (found) return found
    throw new HttpError(404, 'not_found', 'No such run.')
  }

  /**
   * Changes the entry of a run that a process is executing, and notifies that process. Returns false if the entry has
   * changed in the meantime, or if `change` throws `ChangedMeanwhile`.
   */
  async change(found: FoundRun, change: (entry: RunEntry) => RunEntry): Promise<boolean> {
    const { runId, entry, version, record } = found
    const live = this.#live.get(runId)
    const written = await unlessConflict(async () =>
      live && !live.isOver ? live.change(change) : this.store.put(runId, change(entry), version),
    )
    if (written === undefined) return false
    if (!live) await this.store.setOnce(hintKey(runId, record.signals), true, this.clock.now() + hintMs)
    return true
  }

  /** Starts a segment of a run that no process is executing. Undefined if another process was first. */
  async goOn(
    found: FoundRun,
    { segment, decided, how, from }: NextSegment,
    ctx: RunOwner,
  ): Promise<Following | undefined> {
    const { runId, entry, version, record } = found
    const { state } = record
    if (!state)
      throw new HttpError(
        409,
        'not_waiting',
        'The run has no stored state, so it cannot continue. Start a new run.',
      )
    return this.#within(entry.owner, async (hold) => {
      const decisions = decisionsOn(state.pending, { decided })
      const common = this.#startOf(found, { input: state, decisions, ...how, tools: segment.tools })
      // The page's messages have been stored by now.
      const start = { ...common, userIds: [] }
      const prepared = await prepareRun(start, ctx, runId)
      const by = this.newHolder()
      const callIds = Object.keys({ ...record.waits, ...segment.decisions })
      const next = withRecord(
        { ...this.heldBy(by, entry), callIds },
        { decided, ...withSegment(record, segment) },
      )
      const written = await unlessConflict(() => this.store.put(runId, next, version)).catch((error) => {
        prepared.release()
        throw error
      })
      if (written === undefined) {
        prepared.release()
        hold.release()
        return undefined
      }
      const { agent } = start
      const plan = { runId, entry: next, version: written, last: segment.after, agent }
      const live = this.#launch({ ...plan, ...planOf(start, prepared) }, by, { start, ctx, prepared, hold })
      await started(live, prepared)
      return this.following(live.found, from)
    })
  }

  /** Merges a run's stored options with the options for continuing it. */
  #startOf(
    { entry, record }: FoundRun,
    { input, decisions, ...how }: Continuation & { readonly input: RunInput; readonly decisions: Decisions },
  ): StartOptions & { readonly decisions: Decisions } {
    const { session, chat } = entry
    const { wait, unattended, taintedBy, userIds, branch } = record.start
    return {
      ...{ agent: this.agentOf(entry), input, session, chat, wait, unattended, userIds, branch, decisions },
      ...(taintedBy === undefined ? {} : { taintedBy }),
      ...how,
    }
  }

  /** Returns a run's agent. Undefined if the handler no longer serves it. */
  findAgent({ agent }: Pick<RunEntry, 'agent'>): AnyAgent | undefined {
    return this.#handler().agents.get(agent)
  }

  /**
   * Returns a run's agent.
   * @throws HttpError 404 if the handler no longer serves it
   */
  agentOf(entry: Pick<RunEntry, 'agent'>): AnyAgent {
    const agent = this.findAgent(entry)
    if (agent) return agent
    throw new HttpError(
      404,
      'not_found',
      `The run's agent ${JSON.stringify(entry.agent)} is no longer served. Start a new run.`,
    )
  }

  /** Continues a run that this process has just taken over. */
  async resume(
    found: FoundRun,
    { input, last, by }: { readonly input: RunState; readonly last: number; readonly by: string },
  ): Promise<void> {
    const { runId, entry, version, record } = found
    const hold = this.#holdSlot(entry.owner)
    try {
      const decisions = decisionsOn(input.pending, record)
      const tools = segmentOf(record, newestSegment(record))?.tools ?? []
      const { sent } = record.start
      const start = this.#startOf(found, { input, decisions, sent, tools, isStreamed: true })
      const request = new Request(`http://localhost/runs/${encodeURIComponent(runId)}`)
      const ctx = { handler: this.#handler(), user: { id: entry.owner }, request }
      const prepared = await prepareRun(start, ctx, runId)
      const plan = { ...{ runId, entry, version, last, agent: start.agent }, ...planOf(start, prepared) }
      this.#launch(plan, by, { start, ctx, prepared, hold })
    } catch (error) {
      hold.release()
      throw error
    }
  }

  /** Returns a new name under which this process can hold a lease. */
  newHolder(): string {
    return `${this.#process}/${this.#segments++}`
  }

  /** Returns the entry with the status `running` and a new lease for `by`. */
  heldBy(by: string, { dueAt: _, ...entry }: RunEntry): RunEntry {
    const updatedAt = this.clock.now()
    const until = updatedAt + this.settings.leaseMs
    return { ...entry, status: 'running', updatedAt, lease: { by, until }, dueAt: until }
  }

  /**
   * Ends all work in this process: rejects new runs, and gives active runs `withinMs` to end. The other runs continue
   * in another process, or are aborted if the store exists only in this process.
   */
  async close(withinMs: number, reason: unknown): Promise<Closed> {
    this.isClosing = true
    const live = [...this.#live.values()]
    const ended = Promise.all(live.map(({ over }) => over))
    if (withinMs > 0) await Promise.race([ended, sleep(withinMs)])
    const left = live.filter(({ isOver }) => !isOver)
    const { isVolatile = false } = this.store
    await Promise.all(
      left.map(async (segment) => {
        if (!isVolatile) return segment.handOver(reason, effectsMs)
        segment.abort(reason)
        await segment.over
      }),
    )
    this.#closed.abort(reason)
    // A run that was to be handed over may have ended by itself.
    const cut = isVolatile ? left : left.filter(({ hasEnded }) => !hasEnded)
    const count = { finished: live.length - cut.length, handedOver: 0, aborted: 0 }
    return { ...count, [isVolatile ? 'aborted' : 'handedOver']: cut.length }
  }

  /** Calls `work`, and counts it as one of the user's concurrent runs until it releases its hold or fails. */
  async #within<T>(owner: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    this.check(owner)
    const hold = this.#holdSlot(owner)
    try {
      return await work(hold)
    } catch (error) {
      hold.release()
      throw error
    }
  }

  #holdSlot(owner: string): Hold {
    this.#active.take(owner)
    let isHeld = true
    return {
      release: () => {
        if (isHeld) this.#active.release(owner)
        isHeld = false
      },
    }
  }

  #launch(plan: SegmentPlan, by: string, started: Launched): RunSegment {
    const { store, clock, settings } = this
    const { leaseMs, keepRunsMs, keepPendingMs } = settings
    const { ctx } = started
    const live = new RunSegment(plan, {
      ...{ store, clock, by, leaseMs, keepRunsMs, keepPendingMs },
      expiresInMs: (call) => expiryOf(plan.agent, call) ?? settings.approvals.expiresInMs,
      toStoredError,
      onPending: (found, calls) => tellPending(found, calls, ctx),
      onError: (error) => reportError(error, ctx.request, settings),
    })
    this.#live.set(plan.runId, live)
    live.over
      .then((outcome) => this.#over(live, outcome, started))
      .catch((error) => reportError(error, ctx.request, settings))
      .catch(() => {})
    return live
  }

  #over(live: RunSegment, outcome: SegmentOutcome, { start, ctx, prepared, hold }: Launched): void {
    const { handler, user, request } = ctx
    if (this.#live.get(live.runId) === live) this.#live.delete(live.runId)
    hold.release()
    prepared.release()
    // A client may send the replies back without the results that tainted them.
    if ('result' in outcome && start.session === undefined)
      handler.replies.addTainted(user.id, outcome.result.state, messagesOf(start).length)
    const failure = 'error' in outcome ? outcome.error : 'cut' in outcome ? outcome.cut : undefined
    if (failure !== undefined && !this.isClosing) reportError(failure, request, this.settings)
  }
}

/** Outcomes of the runs that were active when a handler closed, with the number of runs for each outcome. */
export interface Closed {
  /** The number of runs that ended within `withinMs`. */
  readonly finished: number
  /** The number of runs that other processes can continue. */
  readonly handedOver: number
  readonly aborted: number
}

interface Launched {
  readonly start: StartOptions
  readonly ctx: RunOwner
  readonly prepared: PreparedRun
  readonly hold: Hold
}

interface Hold {
  release(): void
}

/** Milliseconds to wait for effects in progress when a handler closes. */
const effectsMs = 5000
/**
 * Milliseconds for which a hint about a changed entry is kept. The run's process checks for hints every half second.
 */
const hintMs = 10 * 60_000
