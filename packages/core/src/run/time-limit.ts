import { joinSignals } from '../async.js'
import { CapstanError } from '../errors.js'
import { workSeconds } from '../limits.js'
import type { RunHost, StepContext } from '../types/host.js'
import type { RunState } from '../types/state.js'
import type { UsageSum } from '../usage.js'

/** A run whose time may be limited. */
interface Timed {
  readonly state: Pick<RunState, 'limits'> & { readonly usage: UsageSum }
  /** When this run started, if time is limited, and the working time of the state's earlier runs in seconds. */
  readonly clock: { startedAt?: number; readonly before: number }
  readonly parts: { readonly host: Pick<RunHost, 'now'> }
}

/** Counts the time that the run has worked so far. Does not read the clock if time is not limited. */
export async function countTime({ state, clock, parts }: Timed): Promise<void> {
  if (state.limits.seconds === undefined) return
  const now = await parts.host.now()
  clock.startedAt ??= now
  state.usage.seconds = clock.before + (now - clock.startedAt) / 1000
}

/** The clock for deadlines within a step. A host can give a step a different clock. Default: the system's clock. */
export interface StepClock {
  /** The time in milliseconds since 1970. */
  now(): number
  /** Calls `act` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, act: () => void): () => void
}

/** A host step that may have its own clock. */
export interface ClockedStep extends StepContext {
  readonly clock?: StepClock
}

/** A step's time limits, in addition to the run's limit. */
interface TimeBounds {
  readonly timeoutMs?: number | undefined
  /**
   * Whether the step is the run's last reply, which may use all of the run's time. Other steps leave some time for that
   * reply.
   */
  readonly isFinal?: boolean
}

/**
 * Runs work with a signal that also aborts at the deadline of the run or of the step. The work must respect the signal.
 */
export function withinTime<T>(
  run: Pick<Timed, 'state' | 'clock'>,
  step: ClockedStep,
  work: (step: StepContext) => Promise<T>,
  bounds: TimeBounds = {},
): Promise<T> {
  const isUnlimited = (run.state.limits.seconds ?? bounds.timeoutMs) === undefined
  return isUnlimited ? work(step) : timed(run, step, work, bounds)
}

async function timed<T>(
  { state: { limits }, clock: { startedAt, before } }: Pick<Timed, 'state' | 'clock'>,
  step: ClockedStep,
  work: (step: StepContext) => Promise<T>,
  { timeoutMs, isFinal }: TimeBounds,
): Promise<T> {
  const { seconds } = limits
  const { clock = systemClock } = step
  const { signal, abort, release } = joinSignals([step.signal])
  const timers: (() => void)[] = []
  const end = (ms: number, error: CapstanError) => timers.push(clock.after(ms, () => abort(error)))
  if (seconds !== undefined && startedAt !== undefined) {
    const left = (isFinal ? seconds : workSeconds(seconds)) - before
    const message = 'The run reached limits.seconds.'
    const error = new CapstanError('stopped', message, { evidence: { limit: 'seconds' } })
    end(Math.max(0, startedAt + left * 1000 - clock.now()), error)
  }
  if (timeoutMs !== undefined) {
    const message = `The step took longer than ${timeoutMs} ms (stepTimeoutMs).`
    end(timeoutMs, new CapstanError('timeout', message, { retryable: true, evidence: { ms: timeoutMs } }))
  }
  try {
    return await work({ ...step, signal })
  } finally {
    release()
    for (const callOff of timers) callOff()
  }
}

/** The longest delay that a timer can have. A timer with a longer delay would fire immediately. */
const longestMs = 2 ** 31 - 1

const systemClock: StepClock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, longestMs))
    return () => clearTimeout(timer)
  },
}
