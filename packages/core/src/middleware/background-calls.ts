import { abortable } from '../async.js'
import type { Json } from '../json.js'
import type { Middleware } from '../run/middleware.js'
import type { BackgroundWork, RunContext } from '../run/run-context.js'
import { toCallContext } from '../run/run-tools.js'
import { costOfCall } from '../run/steps.js'
import { endOfTime, withinTime } from '../run/time-limit.js'
import { applyEffects, artifactsAfter } from '../run/turn.js'
import { dispatch } from '../tools/execute-call.js'
import { cancelledResult, errorResult } from '../tools/rejections.js'
import type { StepContext } from '../types/host.js'
import type { CallRecord, CallResult } from '../types/state.js'
import { withCallCosts, withSpending } from '../usage.js'

/**
 * Answers calls of tools with `background: true` at once, while their functions run as steps of the host. The outcome of
 * each is a message before a later request, as words that are sent to the run. When the run ends it waits for open calls:
 * their outcomes are in `result.toolCalls`, and the messages in `result.undelivered`.
 */
export function backgroundCalls(): Middleware {
  return {
    name,
    wholeRun: true,
    async wrapTool(call, next) {
      const isWork = /\/background\d+$/.test(call.idempotencyKey)
      return call.tool.settings.background && !isWork ? handleOf(call.callId) : next()
    },
    beforeRun(run: RunContext) {
      const calls = new BackgroundCalls(run)
      run.background = calls
      for (const one of openIn(run)) calls.start(one)
      return undefined
    },
    afterStep(results, run: RunContext) {
      const begun = results.flatMap((record, index) =>
        record.background ? [toBackgroundCall(record, index, run.agent)] : [],
      )
      if (begun.length === 0) return undefined
      for (const one of begun) (run.background as BackgroundCalls).start(one)
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
  readonly arguments: Json
  /** The outcome, when a run that waits for decisions has ended. */
  readonly result?: CallResult
}

function openIn({ flags }: RunContext): readonly BackgroundCall[] {
  return (flags[name] ?? []) as unknown as readonly BackgroundCall[]
}

function handleOf(callId: string): CallResult {
  const content = `Started in the background as ${callId}. Its result comes as a message. Go on without it.`
  return { status: 'ok', content, background: true, ms: 0 }
}

function toBackgroundCall(record: CallRecord, index: number, agent: string): BackgroundCall {
  const { callId, name, step, arguments: args } = record
  return { callId, name, agent, step, index, arguments: args }
}

/** A call in progress. */
interface Work {
  readonly promise: Promise<CallResult>
  isDone: boolean
  result?: CallResult
}

/** The background calls of one run. */
class BackgroundCalls implements BackgroundWork {
  readonly #run: RunContext
  readonly #work = new Map<string, Work>()
  undelivered: readonly string[] = []

  constructor(run: RunContext) {
    this.#run = run
  }

  /** Starts the work of a call as a step of the host. */
  start(call: BackgroundCall): void {
    const run = this.#run
    const promise = call.result
      ? Promise.resolve(call.result)
      : run.parts.host.step<CallResult>({
          key: `t${call.step}/background${call.index}`,
          options: { kind: 'tool', name: call.name, callId: call.callId },
          run: (step) =>
            withinTime({ endsAt: endOfTime(run) }, step, (timed) => this.#callFunction(call, timed)),
        })
    const work: Work = { promise, isDone: false }
    this.#work.set(call.callId, work)
    promise.then(
      (result) => Object.assign(work, { isDone: true, result }),
      // Thrown where the outcome is taken.
      () => Object.assign(work, { isDone: true }),
    )
  }

  async #callFunction(
    { callId, name, arguments: args, agent, step: at }: BackgroundCall,
    step: StepContext,
  ): Promise<CallResult> {
    const run = this.#run
    const { toolset } = run.parts.settingsOf(agent)
    const context = { ...toCallContext(run), step: at, ...(run.toolset.get(name) ? {} : { toolset }) }
    const written = { name, arguments: JSON.stringify(args) }
    const call = { id: callId, type: 'function' as const, function: written }
    // The call was judged before it was answered.
    const approval = { arguments: args as Readonly<Record<string, unknown>> }
    const outcome = await dispatch({ call, approval }, context, step)
    if (outcome.status === 'pending' || outcome.status === 'delegated' || outcome.status === 'paused')
      return errorResult('error', 'this call cannot run in the background.')
    const { approved: _, arguments: __, ...result } = outcome
    return result
  }

  async deliver(queued: readonly string[] | Promise<readonly string[]>): Promise<readonly string[]> {
    const run = this.#run
    const texts = [...(await queued)]
    const open = openIn(run)
    if (open.length === 0) return texts
    // A repeated run delivers the same outcomes at the same place.
    const ready = await run.parts.host.step<readonly string[]>({
      key: `t${run.state.turn}/delivery`,
      options: { kind: 'message', name },
      run: async () => open.flatMap(({ callId }) => (this.#work.get(callId)?.isDone ? [callId] : [])),
    })
    for (const call of open)
      if (ready.includes(call.callId)) texts.push(this.#apply(call, await this.#resultOf(call)))
    if (ready.length > 0) this.#keep(open.filter(({ callId }) => !ready.includes(callId)))
    return texts
  }

  async end(): Promise<void> {
    const { state } = this.#run
    const ended: [BackgroundCall, CallResult][] = []
    for (const call of openIn(this.#run)) ended.push([call, await this.#resultOf(call)])
    if (ended.length === 0) return
    const isPending = state.stopReason === 'pending'
    this.#keep(isPending ? ended.map(([call, result]) => ({ ...call, result })) : [])
    if (!isPending) this.undelivered = ended.map(([call, result]) => this.#apply(call, result))
  }

  async #resultOf({ callId }: BackgroundCall): Promise<CallResult> {
    const { signal } = this.#run
    const work = this.#work.get(callId)
    if (!work || signal.aborted) return work?.result ?? cancelledResult
    try {
      return await abortable(signal, work.promise)
    } catch (error) {
      if (signal.aborted) return work.result ?? cancelledResult
      throw error
    }
  }

  #keep(open: readonly BackgroundCall[]): void {
    const { flags } = this.#run.state
    if (open.length > 0) flags[name] = open as unknown as Json
    else delete flags[name]
  }

  /** Counts an outcome for the run and shows it in the step of its call. Returns the message for the model. */
  #apply({ callId, name: tool, step, arguments: args }: BackgroundCall, result: CallResult): string {
    const run = this.#run
    const { state, settings, parts } = run
    const record: CallRecord = { callId, name: tool, step, arguments: args, ...result }
    const spent = (result.spent ?? []).reduce(withSpending, state.usage)
    state.usage = withCallCosts(spent, [record], settings.prices)
    const artifacts = artifactsAfter(state.artifacts, [record])
    if (artifacts.length > 0) state.artifacts = artifacts
    if (result.limit) state.flags.passed = result.limit
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
    const cost = costOfCall(tool, result, settings)
    parts.emit?.({ ...end, ...(paid && { spent: paid }), ...(cost !== undefined && { cost }) })
    return `Result of the background call ${callId} of ${tool}: ${content}`
  }
}
