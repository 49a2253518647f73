import { readable } from '../artifacts/memory-artifacts.js'
import { abortable, ignore, keepListener } from '../async.js'
import { type ErrorCode, withState } from '../errors.js'
import { isString, withoutUndefined } from '../json.js'
import { exceededLimits } from '../limits.js'
import { withoutCredentials } from '../secrets/secrets.js'
import { cancelledResult, notRunResult } from '../tools/rejections.js'
import type { AnyTool } from '../tools/tool.js'
import type { RunResult } from '../types/agent.js'
import { callsOf, type Message, textOf } from '../types/message.js'
import { currentStep, openCalls, type RunState, type StopReason } from '../types/state.js'
import { addRequests } from '../usage.js'
import { loop } from './loop.js'
import type { RunContext } from './run-context.js'
import { stoppedResult } from './run-tools.js'
import { callEnded, extraOf, lastStep, reasoningOf, resultOf } from './steps.js'
import { stoppedError } from './stop.js'
import { countTime } from './time-limit.js'
import { applyAfterRun, applyEach, finishStep, keepStreamedText, resultsOfStep } from './turn.js'

/**
 * Calls `prepare`, then runs the loop to its end. After an abort, the run ends normally. A thrown error contains the
 * state so far.
 */
export async function runToEnd(run: RunContext, prepare?: () => Promise<void>): Promise<RunState> {
  const { state, signal, parts } = run
  parts.emit?.({ type: 'run-start', step: state.stepCount, agent: state.agent })
  const removeListener = keepListener(signal)
  try {
    const begin = async () => {
      await prepare?.()
      await applyEach(run, 'beforeRun')
    }
    await abortable(signal, begin())
    await loop(run)
    keepStreamedText(run)
    await applyAfterRun(run, { reason: state.stopReason ?? 'done' })
    await countTime(run)
  } catch (error) {
    addRequests(run.sum, run.unanswered, run.settings.prices)
    if (!signal.aborted) {
      await applyAfterRun(run, { reason: 'error' }).catch(ignore)
      const failure = withState(error, state)
      const { code, message } = failure
      ended(run, { stopReason: 'error', code, message: withoutCredentials(message) })
      throw failure
    }
    closeCutOff(run)
    keepStreamedText(run)
    state.stopReason = 'aborted'
    await applyAfterRun(run, { reason: 'aborted' })
  } finally {
    removeListener()
  }
  ended(run, { stopReason: state.stopReason ?? 'done' })
  return state
}

/** Stores a result for each call that is still open after an abort. Calls that were not pending may have partly run. */
function closeCutOff(run: RunContext): void {
  const { state } = run
  if (openCalls(state).length === 0) return
  run.startStep()
  for (const open of run.openCalls) {
    const { index, call, result, pending, child } = open
    if (result) continue
    const outcome = child ? stoppedResult(open, run) : pending ? notRunResult : cancelledResult
    state.results[index] = outcome
    callEnded(call, outcome, run)
  }
  state.pending = []
  finishStep(run)
}

function ended({ state, parts }: RunContext, end: Ended): void {
  parts.emit?.({ type: 'run-end', step: currentStep(state), ...end, usage: state.usage })
}

type Ended =
  | { readonly stopReason: StopReason }
  | { readonly stopReason: 'error'; readonly code: ErrorCode; readonly message: string }

/** Returns the result of a run that has ended. */
export function toResult<Tools extends readonly AnyTool[], Output>(
  run: RunContext,
): RunResult<Tools, Output> {
  const { state, task } = run
  const text = lastWords(state, task)
  const last = state.messages.findLast((message) => message.role === 'assistant')
  const past =
    openCalls(state).length > 0 ? [...run.steps, lastStep(resultsOfStep(run, true), run)] : run.steps
  const steps = past.map(resultOf)
  // The run is done without an output, or has requested a final answer.
  const endsInText = state.output === undefined && (state.stopReason === 'done' || run.isFinalAsked)
  const isIncomplete = state.flags.incomplete || (text === '' && !last?.media && endsInText)
  const facts = withoutUndefined({
    stopReason: state.stopReason ?? 'done',
    output: state.output,
    limit: state.limit,
    exceeded: unlessEmpty(exceededLimits(state)),
    text,
    reasoning: reasoningOf(run.reply.message),
    refusal: isString(last?.refusal) ? last.refusal : undefined,
    incomplete: isIncomplete || undefined,
    warnings: state.warnings,
    extra: extraOf(state.extra, state.stepCount > 0 ? last : undefined),
    sources: Object(state.extra?.hosted).sources,
    messages: withAnswers(state),
    lastAgent: state.agent,
    stepCount: state.stepCount,
    steps,
    toolCalls: steps.flatMap((step) => step.toolCalls),
    artifacts: (state.artifacts ?? []).map((one) => readable(one, run.artifacts)),
    usage: state.usage,
    pending: unlessEmpty(state.pending),
    abortReason: state.stopReason === 'aborted' ? run.signal.reason : undefined,
    undelivered: unlessEmpty(run.undelivered),
    state,
  })
  const result = {
    ...facts,
    orThrow() {
      if (state.stopReason !== 'done') throw stoppedError(state)
      return this
    },
  }
  // The output was validated against the schema of this type.
  return result as unknown as RunResult<Tools, Output>
}

function unlessEmpty<One>(list: readonly One[]): readonly One[] | undefined {
  return list.length > 0 ? list : undefined
}

/**
 * Returns the messages with a result for each open call. Otherwise, a new run with these messages would report calls as
 * not run although they have started.
 */
function withAnswers(state: RunState): readonly Message[] {
  const { results, children = {} } = state
  if (Object.keys({ ...results, ...children }).length === 0) return state.messages
  const told = openCalls(state).map(({ id }, index) => ({
    role: 'tool' as const,
    tool_call_id: id,
    // A pending child run may have done something already.
    content: (results[index] ?? (children[index] ? cancelledResult : notRunResult)).content,
  }))
  return [...state.messages, ...told]
}

/**
 * Returns the text of the last reply that contains text, so that a run stopped by a limit also returns text. A run that
 * is done returns only the text of its last message.
 */
export function lastWords({ messages, stopReason }: RunState, task: number): string {
  const last = messages.at(-1)
  if (stopReason === 'done')
    return last?.role === 'assistant' && callsOf(last).length === 0 ? textOf(last.content) : ''
  const said = messages.slice(task + 1).filter((message) => message.role === 'assistant')
  const texts = said.map(({ content }) => textOf(content))
  return texts.findLast((text) => text.trim() !== '') ?? ''
}
