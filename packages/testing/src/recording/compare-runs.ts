import {
  callsOf,
  isRequestKey,
  outermostStep,
  readStepKey,
  stepKey,
  textOf,
  tryJson,
} from '@capstan/core/internal'
import { type ComparedStep, compareSteps, type StepComparison } from './compare-steps.js'
import { isSameJson } from './format.js'
import { type Exchange, type RunRecording, readRuns } from './read.js'

/** The result of comparing two recordings. */
export interface RunComparison extends StepComparison {
  /**
   * The steps of the first recording; `b` contains those of the second. The indexes in `pairs` refer to these arrays.
   */
  readonly a: readonly ComparedStep[]
  readonly b: readonly ComparedStep[]
  /** Why the last run in each recording ended. Undefined if the recording stops before the run ended. */
  readonly ends: { readonly a: string | undefined; readonly b: string | undefined }
}

/**
 * Compares two recordings step by step: requests, replies, call results, artifacts and tokens. `first` is the first
 * difference. If a file contains several runs, such as those before and after an approval, their steps are compared as
 * one sequence.
 * @throws CapstanError if a file is not a recording
 */
export function compareRuns(a: string, b: string): RunComparison {
  const [one, other] = [readRuns(a), readRuns(b)]
  const [left, right] = [stepsOfRuns(one), stepsOfRuns(other)]
  const ends = { a: one.at(-1)?.end?.stopReason, b: other.at(-1)?.end?.stopReason }
  const compared = compareSteps(left, right)
  return { ...compared, isSame: compared.isSame && ends.a === ends.b, a: left, b: right, ends }
}

/** Returns the steps of several recorded runs as one sequence. */
function stepsOfRuns(runs: readonly RunRecording[]): readonly ComparedStep[] {
  return runs.flatMap((run) => {
    const told = toolMessagesOf(run)
    let before: Exchange | undefined
    const steps = stepExchanges(run).map((exchange) => {
      const step = toStep(exchange, { before, told, run })
      before = exchange
      return step
    })
    return steps
  })
}

/**
 * Returns the last request in each of the run's own steps. Middlewares may have sent earlier requests in the same step.
 */
function stepExchanges({ exchanges }: RunRecording): readonly Exchange[] {
  const steps = new Map<string, Exchange>()
  for (const exchange of exchanges) {
    const key = readStepKey(exchange.at)
    if (key?.run === '' && isRequestKey(key)) steps.set(stepKey(key.step, key.kind), exchange)
  }
  return [...steps.values()]
}

interface StepSurroundings {
  readonly before: Exchange | undefined
  /** The contents of the run's tool messages, by call id. */
  readonly told: ReadonlyMap<string, string>
  readonly run: RunRecording
}

function toStep(exchange: Exchange, { before, told, run }: StepSurroundings): ComparedStep {
  const { at, model, system, messages, tools, toolChoice, settings, reply, failure } = exchange
  const calls = callsOf(reply?.message)
  const step = outermostStep(at)
  const outcomes = calls.map((_, index) => outcomeOf(run, step, index))
  const results = calls.map((call, index) => {
    const { name } = call.function
    const came = outcomes[index]
    const content = came && 'content' in came ? came.content : (told.get(call.id) ?? '')
    return { name, status: came?.status ?? 'rejected', content }
  })
  const made = outcomes.flatMap((came) => (came && 'artifacts' in came ? (came.artifacts ?? []) : []))
  return {
    at,
    request: {
      model,
      instructions: system,
      messages: newMessages(messages, before),
      tools,
      toolChoice,
      settings,
    },
    ...(reply || failure
      ? {
          reply: {
            text: textOf(reply?.message.content),
            calls: calls.map(({ function: { name, arguments: args } }) => ({
              name,
              arguments: tryJson(args) ?? args,
            })),
            ...(failure ? { failure: { code: failure.code, message: failure.message } } : {}),
          },
        }
      : {}),
    results,
    artifacts: made.map(({ id }) => id),
    ...(reply?.tokens ? { tokens: reply.tokens.totalTokens } : {}),
  }
}

/**
 * Returns the messages that are new since the previous request. Returns all messages if the request does not continue
 * the previous one.
 */
function newMessages(messages: readonly unknown[], before: Exchange | undefined): readonly unknown[] {
  const known = before?.messages ?? []
  const isContinued = known.every((message, at) => isSameJson(message, messages[at]))
  return isContinued ? messages.slice(known.length) : messages
}

/**
 * Returns a call's final result. If the call ran a child agent, this is the child agent's result; otherwise, the result
 * after an approval or, without an approval, the call's first result.
 */
function outcomeOf({ outcomes }: RunRecording, step: number, index: number) {
  const ofCall = outcomes.flatMap(({ at, outcome: { came } }) => {
    const key = readStepKey(at)
    return key?.run === '' && key.step === step && key.index === index ? [{ kind: key.kind, came }] : []
  })
  const kinds = ['child', 'decided', 'call'] as const
  return kinds.map((one) => ofCall.findLast(({ kind }) => kind === one)).find((one) => one)?.came
}

function toolMessagesOf({ exchanges, end }: RunRecording): ReadonlyMap<string, string> {
  const all = [...exchanges.map(({ messages }) => messages), end?.messages ?? []].flat()
  return new Map(
    all.flatMap((one) => (one.role === 'tool' ? [[one.tool_call_id, one.content] as const] : [])),
  )
}
