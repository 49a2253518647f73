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

/** The comparison of two recordings. */
export interface RunComparison extends StepComparison {
  /** The steps of each recording, by which `pairs` are to be read. */
  readonly a: readonly ComparedStep[]
  readonly b: readonly ComparedStep[]
  /** Why the last run of each ended. Undefined if the recording ends before it. */
  readonly ends: { readonly a: string | undefined; readonly b: string | undefined }
}

/**
 * Compares two recordings by steps: requests, replies, what calls came to, artifacts and tokens. `first` is the first
 * difference. Runs of one file, such as those before and after an approval, are compared as one.
 * @throws CapstanError if a file is not a recording
 */
export function compareRuns(a: string, b: string): RunComparison {
  const [one, other] = [readRuns(a), readRuns(b)]
  const [left, right] = [stepsOfRuns(one), stepsOfRuns(other)]
  const ends = { a: one.at(-1)?.end?.stopReason, b: other.at(-1)?.end?.stopReason }
  const compared = compareSteps(left, right)
  return { ...compared, isSame: compared.isSame && ends.a === ends.b, a: left, b: right, ends }
}

/** Returns the steps of recorded runs, in order. */
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

/** The last request of each step of the run itself: a middleware may have asked before. */
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
  /** Contents of tool messages by the ids of their calls. */
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

/** The messages that were added since the previous request, without its reply and results. */
function newMessages(messages: readonly unknown[], before: Exchange | undefined): readonly unknown[] {
  const known = before?.messages ?? []
  const isContinued = known.every((message, at) => isSameJson(message, messages[at]))
  return isContinued ? messages.slice(known.length) : messages
}

/** A call's last result: from its agent, else after its approval, else its own. */
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
