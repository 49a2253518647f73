import { abortable } from '../async.js'
import type { Json } from '../json.js'
import type { Feature } from '../run/feature.js'
import type { Ending, RunView, StepEffects } from '../run/middleware.js'
import { cancelledResult } from '../tools/rejections.js'
import type { Tool } from '../tools/tool.js'
import type { StepContext } from '../types/host.js'
import type { UserMessage } from '../types/message.js'
import type { CallRecord, CallResult } from '../types/state.js'

/**
 * Replies immediately to calls whose tool has `background: true`, and runs the functions as host steps. Each result
 * becomes a message in a later request. Before a run ends, it waits for its open calls: their results are in
 * `result.toolCalls`, and messages that were not sent are in `result.undelivered`. Unless the run is done, its state
 * also contains both, and a run that resumes from the state delivers them. A failed run does not wait: its state
 * contains the results so far, and a warning names the unfinished calls. A resumed run continues these calls under the
 * same idempotency keys.
 */
export function backgroundCalls(): Feature {
  return {
    name,
    toolSettings: ['background'],
    wholeRun: true,
    async wrapTool(call, next, run) {
      const isWork = workOf(run).has(call.callId)
      return call.tool.settings.background && !isWork ? handleOf(call.callId) : next()
    },
    beforeRun(run) {
      for (const call of openIn(run)) start(call, run)
      return undefined
    },
    afterStep(results, run) {
      const begun = results.flatMap((record, index) =>
        record.background ? [toBackgroundCall(record, index, run)] : [],
      )
      if (begun.length === 0) return undefined
      for (const call of begun) start(call, run)
      return { state: toState([...openIn(run), ...begun]) }
    },
    beforeStep: (run) => (openIn(run).length > 0 ? deliver(run) : undefined),
    afterRun(end, run) {
      if (openIn(run).length === 0) return undefined
      return end.reason === 'error' ? leave(run) : finish(end, run)
    },
  }
}

const name = 'background-calls'

/** A call whose result has not been delivered, as stored in states. */
interface BackgroundWork {
  readonly callId: string
  readonly name: string
  readonly agent: string
  readonly step: number
  /** The call's position among the calls of its step. */
  readonly index: number
  /** The idempotency key, which is the same in every run that continues the call. */
  readonly key: string
  readonly arguments: Json
  /** The result, once it exists. */
  readonly result?: CallResult
  /** Set once a run has reported the result in its `toolCalls`, although the model has not received the result yet. */
  readonly isCounted?: true
}

type EndedWork = BackgroundWork & { readonly result: CallResult }

function keptIn({ kept }: RunView): readonly BackgroundWork[] {
  return (kept[name] ?? []) as unknown as readonly BackgroundWork[]
}

/** Returns the undelivered calls, with their results so far. */
function openIn(run: RunView): readonly BackgroundWork[] {
  const work = workOf(run)
  return keptIn(run).map((call) => {
    const { result = work.get(call.callId)?.result } = call
    return result ? { ...call, result } : call
  })
}

function toState(open: readonly BackgroundWork[]): Json {
  return open.length > 0 ? (open as unknown as Json) : null
}

function handleOf(callId: string): CallResult {
  // Text for the model.
  const content = `Started in the background as ${callId}. Continue; the result will arrive in a later message.`
  return { status: 'ok', content, background: true, ms: 0 }
}

function toBackgroundCall(record: CallRecord, index: number, run: RunView): BackgroundWork {
  const { callId, name, step, arguments: args } = record
  return { callId, name, agent: run.agent, step, index, key: run.callKey(index), arguments: args }
}

/** A call in progress. Once `isDone` is true, `result` is set, unless the call threw. */
interface Work {
  promise: Promise<CallResult>
  isDone: boolean
  result?: CallResult
}

/** The background calls of each run in this process, by call id. */
const works = new WeakMap<RunView, Map<string, Work>>()

function workOf(run: RunView): Map<string, Work> {
  const known = works.get(run) ?? new Map<string, Work>()
  works.set(run, known)
  return known
}

/** Starts a call's function as a host step. The state keeps the result in case the run ends before delivery. */
function start(call: BackgroundWork, run: RunView): void {
  const work: Work = { promise: Promise.resolve(cancelledResult), isDone: false }
  workOf(run).set(call.callId, work)
  const options = { kind: 'tool', name: call.name, callId: call.callId, step: call.step } as const
  const begun = call.result
    ? Promise.resolve(call.result)
    : run.runStep(`background${call.index}`, (step) => join(call, run, step), options)
  work.promise = begun.then(async (result) => {
    Object.assign(work, { isDone: true, result })
    const isLacking = () => keptIn(run).some((one) => one.callId === call.callId && !one.result)
    // An effect that was computed earlier can still overwrite the state.
    while (isLacking()) await run.keep(name, toState(openIn(run)))
    return result
  })
  // The error is thrown where the result is awaited.
  work.promise.catch(() => {
    work.isDone = true
  })
}

/**
 * Calls that are still running in this process, by tool and key, so that a run that resumes a failed run can join them.
 * The promises resolve with undefined if an abort cut the calls off.
 */
const running = new WeakMap<Tool, Map<string, Promise<CallResult | undefined>>>()

function join(call: BackgroundWork, run: RunView, given: StepContext): Promise<CallResult> {
  const { key, agent, index: _, isCounted: __, result: ___, ...record } = call
  const step = { ...given, idempotencyKey: key }
  const work = () => run.runCall({ ...record, ...handleOf(call.callId) }, step, agent)
  const tool = run.toolset.get(call.name)
  if (!tool) return work()
  const ofTool = running.get(tool) ?? new Map<string, Promise<CallResult | undefined>>()
  running.set(tool, ofTool)
  const known = ofTool.get(key)
  const result = known ? abortable(step.signal, known).then((outcome) => outcome ?? work()) : work()
  const uncut = (outcome: CallResult) => (step.signal.aborted ? undefined : outcome)
  const shared = result.then(uncut, () => undefined)
  ofTool.set(key, shared)
  shared.then(() => ofTool.get(key) === shared && ofTool.delete(key))
  return result
}

/** Delivers the results so far. A replay of the run delivers the same results in the same step. */
async function deliver(run: RunView): Promise<StepEffects> {
  const ids = openIn(run).map(({ callId }) => callId)
  const work = workOf(run)
  const look = async () => ids.filter((callId) => work.get(callId)?.isDone)
  const ready = await run.runStep('results', look, { kind: 'message', name })
  const ended = await outcomesOf(
    openIn(run).filter(({ callId }) => ready.includes(callId)),
    run,
  )
  const left = openIn(run).filter(({ callId }) => !ready.includes(callId))
  return { ...deliveryOf(ended), state: toState(left) }
}

/**
 * Waits for the open calls at the end of a run. Unless the run is done, the state keeps the calls' results for a run
 * that resumes it.
 */
async function finish({ reason }: Ending, run: RunView): Promise<StepEffects> {
  const ended = await outcomesOf(openIn(run), run)
  if (reason === 'pending') return { state: toState(ended) }
  const left = reason === 'done' ? [] : ended.map(counted)
  return { ...deliveryOf(ended), state: toState(left) }
}

/** When a run fails, keeps the results so far and warns about the unfinished calls. */
function leave(run: RunView): StepEffects {
  const open = openIn(run)
  const { results } = deliveryOf(open.filter((call): call is EndedWork => call.result !== undefined))
  const state = toState(open.map((call) => (call.result ? counted(call) : call)))
  const unfinished = open.flatMap((call) => (call.result ? [] : [`${call.name} (${call.callId})`]))
  if (unfinished.length === 0) return { results, state }
  const warning = `Background calls were unfinished when the run failed: ${unfinished.join(', ')}. A resumed run continues them under the same idempotency keys.`
  return { results, state, warning }
}

function counted(call: BackgroundWork): BackgroundWork {
  return { ...call, isCounted: true }
}

async function outcomesOf(calls: readonly BackgroundWork[], run: RunView): Promise<readonly EndedWork[]> {
  const ended: EndedWork[] = []
  for (const call of calls) ended.push({ ...call, result: await outcomeOf(call, run) })
  return ended
}

async function outcomeOf({ callId }: BackgroundWork, run: RunView): Promise<CallResult> {
  const { signal } = run
  const known = () => openIn(run).find((one) => one.callId === callId)?.result ?? cancelledResult
  const work = workOf(run).get(callId)
  if (!work || signal.aborted) return known()
  try {
    return await abortable(signal, work.promise)
  } catch (error) {
    if (signal.aborted) return known()
    throw error
  }
}

/** Returns the results that no run has counted yet, and one message to the model for every result, counted or not. */
function deliveryOf(ended: readonly EndedWork[]): Required<Pick<StepEffects, 'results' | 'messages'>> {
  const results = ended
    .filter(({ isCounted }) => !isCounted)
    .map(({ callId, name, step, arguments: args, result }) => ({
      callId,
      name,
      step,
      arguments: args,
      ...result,
    }))
  const messages = ended.map(({ callId, name, result }): UserMessage => {
    // Text for the model.
    const content = `Result of background call ${callId} (${name}): ${result.content}`
    return { role: 'user', content }
  })
  return { results, messages }
}
