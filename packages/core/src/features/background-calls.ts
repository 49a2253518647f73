import { abortable } from '../async.js'
import type { Json } from '../json.js'
import type { Middleware } from '../run/middleware.js'
import { type BackgroundWork, idOfCall, type RunContext } from '../run/run-context.js'
import { toCallContext } from '../run/run-tools.js'
import { stepKey } from '../run/step-keys.js'
import { costOfCall } from '../run/steps.js'
import { endOfTime, withinTime } from '../run/time-limit.js'
import { addUserMessages, applyEffects, artifactsAfter } from '../run/turn.js'
import { dispatch } from '../tools/execute-call.js'
import type { CallContext } from '../tools/prepare-call.js'
import { cancelledResult, errorResult } from '../tools/rejections.js'
import type { StepContext } from '../types/host.js'
import type { CallRecord, CallResult, RunState } from '../types/state.js'
import { withSpent } from '../usage.js'

/**
 * Answers calls of tools with `background: true` at once, while their functions run as steps of the host. The outcome of
 * each is a message before a later request, as words that are sent to the run. When the run ends it waits for open calls:
 * their outcomes are in `result.toolCalls`, and the messages in `result.undelivered`. Unless the run is done, its state
 * has them as well, and a run that resumes it delivers them. A run that fails does not wait: its state has the outcomes
 * that are there, and a warning names the unfinished calls, which a resumed run continues under the same key.
 */
export function backgroundCalls(): Middleware {
  return {
    name,
    wholeRun: true,
    async wrapTool(call, next, run) {
      const isWork = backgroundOf(run).has(call.callId)
      return call.tool.settings.background && !isWork ? handleOf(call.callId) : next()
    },
    beforeRun(run: RunContext) {
      for (const one of openIn(run)) backgroundOf(run).start(one)
      return undefined
    },
    afterStep(results, run: RunContext) {
      const begun = results.flatMap((record, index) =>
        record.background ? [toBackgroundCall(record, index, run)] : [],
      )
      if (begun.length === 0) return undefined
      for (const one of begun) backgroundOf(run).start(one)
      return { state: [...openIn(run), ...begun] as unknown as Json }
    },
  }
}

const name = 'background-calls'

/** A call whose outcome was not delivered, as states keep it. */
interface BackgroundCall {
  readonly callId: string
  readonly name: string
  readonly agent: string
  readonly step: number
  /** The place of the call in its step. */
  readonly index: number
  /** The idempotency key, for every run that continues the call. */
  readonly key: string
  readonly arguments: Json
  /** The outcome, once it is there. */
  readonly result?: CallResult
  /** Whether a run has counted the outcome. The model has not read it. */
  readonly isCounted?: true
}

function openIn({ kept }: RunContext): readonly BackgroundCall[] {
  return (kept[name] ?? []) as unknown as readonly BackgroundCall[]
}

function handleOf(callId: string): CallResult {
  const content = `Started in the background as ${callId}. Its result comes as a message. Go on without it.`
  return { status: 'ok', content, background: true, ms: 0 }
}

function toBackgroundCall(record: CallRecord, index: number, { agent, state }: RunContext): BackgroundCall {
  const { callId, name, step, arguments: args } = record
  return { callId, name, agent, step, index, key: idOfCall(state, `call${index}`), arguments: args }
}

/** Another agent may bring them into the run, by a handoff. */
function backgroundOf(given: object): BackgroundCalls {
  const run = given as RunContext
  run.background ??= new BackgroundCalls(run)
  return run.background as BackgroundCalls
}

/** A call in progress. */
interface Work {
  promise?: Promise<CallResult>
  isDone?: boolean
}

/** What still runs in this process, by its tool and key: a run that resumes a failed one joins it. */
const running = new WeakMap<object, Map<string, Promise<CallResult>>>()

/** The background calls of one run. */
class BackgroundCalls implements BackgroundWork {
  readonly #run: RunContext
  readonly #work = new Map<string, Work>()
  #isOver = false
  undelivered: readonly string[] = []

  constructor(run: RunContext) {
    this.#run = run
  }

  /** Whether the work of a call has started. */
  has(callId: string): boolean {
    return this.#work.has(callId)
  }

  /** Starts the work of a call as a step of the host. */
  start(call: BackgroundCall): void {
    const work: Work = {}
    this.#work.set(call.callId, work)
    work.promise = this.#resultOfStep(call).then((result) => {
      work.isDone = true
      return this.#store(call, result)
    })
    // Thrown where the outcome is taken.
    work.promise.catch(() => Object.assign(work, { isDone: true }))
  }

  #resultOfStep(call: BackgroundCall): Promise<CallResult> {
    const run = this.#run
    if (call.result) return Promise.resolve(call.result)
    return run.parts.host.step<CallResult>({
      key: stepKey(call.step, `background${call.index}`),
      options: { kind: 'tool', name: call.name, callId: call.callId },
      run: (step) =>
        withinTime({ endsAt: endOfTime(run) }, { ...step, idempotencyKey: call.key }, (timed) =>
          this.#join(call, timed),
        ),
    })
  }

  /** Keeps an outcome in the state, for whatever ends the run before it is delivered. */
  async #store({ callId }: BackgroundCall, result: CallResult): Promise<CallResult> {
    const { state, parts } = this.#run
    const open = openIn(this.#run)
    if (!open.some((one) => one.callId === callId && !one.result)) return result
    keep(
      state,
      open.map((one) => (one.callId === callId ? { ...one, result } : one)),
    )
    if (!this.#isOver) await parts.host.checkpoint?.()
    return result
  }

  #join(call: BackgroundCall, step: StepContext): Promise<CallResult> {
    const context = this.#contextOf(call)
    const tool = context.toolset.get(call.name)
    if (!tool) return callFunction(call, context, step)
    const ofTool = running.get(tool) ?? new Map<string, Promise<CallResult>>()
    running.set(tool, ofTool)
    const known = ofTool.get(call.key)
    if (known) return abortable(step.signal, known)
    const result = callFunction(call, context, step).finally(() => ofTool.delete(call.key))
    ofTool.set(call.key, result)
    return result
  }

  #contextOf({ name, agent, step }: BackgroundCall): CallContext {
    const run = this.#run
    const { toolset } = run.parts.settingsOf(agent)
    return { ...toCallContext(run), step, ...(run.toolset.get(name) ? {} : { toolset }) }
  }

  async deliver(queued: readonly string[] | Promise<readonly string[]>): Promise<readonly string[]> {
    const run = this.#run
    const texts = await queued
    const open = openIn(run)
    if (open.length === 0) return texts
    // A repeated run delivers the same outcomes at the same place.
    const ready = await run.parts.host.step<readonly string[]>({
      key: stepKey(run.state.stepCount, 'results'),
      options: { kind: 'message', name },
      run: async () => open.flatMap(({ callId }) => (this.#work.get(callId)?.isDone ? [callId] : [])),
    })
    const ended = await this.#ended(open.filter(({ callId }) => ready.includes(callId)))
    // At once, so that each state has an outcome either as open or as delivered.
    addUserMessages([...texts, ...ended.map((call) => this.#count(call))], run)
    keep(
      run.state,
      openIn(run).filter(({ callId }) => !ready.includes(callId)),
    )
    return []
  }

  async end(): Promise<void> {
    const run = this.#run
    const { state } = run
    const { stopReason } = state
    // A state that is kept while it waits can be resumed.
    if (stopReason === 'done') delete state.stopReason
    const ended = await this.#ended(openIn(run))
    this.#isOver = true
    if (stopReason) state.stopReason = stopReason
    if (ended.length === 0) return
    const isPending = stopReason === 'pending'
    if (!isPending) this.undelivered = ended.map((call) => this.#count(call))
    // A run that is done cannot be resumed.
    if (stopReason === 'done') keep(state, [])
    else keep(state, isPending ? ended : ended.map((call) => ({ ...call, isCounted: true })))
  }

  fail(): void {
    const run = this.#run
    this.#isOver = true
    const open = openIn(run)
    for (const call of open) if (call.result) this.#count(call as EndedCall)
    keep(
      run.state,
      open.map((call) => (call.result ? { ...call, isCounted: true } : call)),
    )
    // It stopped, but not to its end.
    if (open.length > 0) delete run.state.stopReason
    const unfinished = open.flatMap((call) => (call.result ? [] : [`${call.name} (${call.callId})`]))
    if (unfinished.length === 0) return
    const warning = `Background calls were unfinished when the run failed: ${unfinished.join(', ')}. A resumed run continues them under the same idempotency keys.`
    applyEffects(name, { warning }, run)
  }

  async #ended(calls: readonly BackgroundCall[]): Promise<readonly EndedCall[]> {
    const ended: EndedCall[] = []
    for (const call of calls) ended.push({ ...call, result: await this.#resultOf(call) })
    return ended
  }

  async #resultOf({ callId }: BackgroundCall): Promise<CallResult> {
    const { signal } = this.#run
    const known = () => openIn(this.#run).find((one) => one.callId === callId)?.result ?? cancelledResult
    const work = this.#work.get(callId)?.promise
    if (!work || signal.aborted) return known()
    try {
      return await abortable(signal, work)
    } catch (error) {
      if (signal.aborted) return known()
      throw error
    }
  }

  /** Counts an outcome once for the run, and shows it in the step of its call. Returns the message for the model. */
  #count(call: EndedCall): string {
    const { callId, name: tool, step, arguments: args, result, isCounted } = call
    const { content } = result
    if (!isCounted) this.#apply({ callId, name: tool, step, arguments: args, ...result })
    return `Result of the background call ${callId} of ${tool}: ${content}`
  }

  #apply(record: CallRecord): void {
    const run = this.#run
    const { state, settings, parts } = run
    const { callId, name: tool, step, arguments: _, ...result } = record
    state.usage = withSpent(state.usage, [record], settings.prices)
    const artifacts = artifactsAfter(state.artifacts, [record])
    if (artifacts.length > 0) state.artifacts = artifacts
    if (result.limit) state.flags.wouldExceed = result.limit
    const tainting = settings.hooks.afterStep.find((one) => one.name === 'taint-tracking')
    const effects = tainting?.afterStep([record], run)
    if (tainting && effects) applyEffects(tainting.name, effects, run)
    const at = run.steps.findIndex((one) => one.step === step)
    const before = run.steps[at]
    if (before) {
      const toolCalls = before.toolCalls.map((one) => (one.callId === callId ? { ...one, ...result } : one))
      run.steps[at] = { ...before, toolCalls }
    }
    const { status, ms, content, artifacts: made = [], spent: paid } = result
    const end = { type: 'tool-end', step, callId, name: tool, status, ms, content, artifacts: made } as const
    const cost = costOfCall(result, settings)
    parts.emit?.({ ...end, ...(paid && { spent: paid }), ...(cost !== undefined && { cost }) })
  }
}

/** A call with its outcome. */
type EndedCall = BackgroundCall & { readonly result: CallResult }

function keep({ kept }: RunState, open: readonly BackgroundCall[]): void {
  if (open.length > 0) kept[name] = open as unknown as Json
  else delete kept[name]
}

async function callFunction(
  { callId, name: tool, arguments: args }: BackgroundCall,
  context: CallContext,
  step: StepContext,
): Promise<CallResult> {
  const written = { name: tool, arguments: JSON.stringify(args) }
  const call = { id: callId, type: 'function' as const, function: written }
  // The call was judged before it was answered.
  const approval = { arguments: args as Readonly<Record<string, unknown>> }
  const outcome = await dispatch({ call, approval }, context, step)
  if (outcome.status === 'pending' || outcome.status === 'delegated' || outcome.status === 'paused')
    return errorResult('error', 'this call cannot run in the background.')
  const { approved: _, arguments: __, ...result } = outcome
  return result
}
