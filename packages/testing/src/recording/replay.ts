import type { ChatModel, ModelDelta, ModelReply, ModelSink } from '@capstan/core'
import { CapstanError, type ErrorCode } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { diffOf } from '../diff.js'
import { AsRecorded } from './as-recorded.js'
import type { WrittenDelta, WrittenReply } from './lines.js'
import { matches } from './matches.js'
import { placeOf } from './place.js'
import { comparison, type Question, questionOf, recordedQuestion, redactedAgain } from './question.js'
import { type Exchange, type RunTold, recordingOf } from './recording.js'
import { withRunId } from './run-ids.js'

/** A model that answers what was recorded. */
export interface ReplayedModel extends ChatModel {
  /** @throws CapstanError `conflict` naming the recorded requests that nobody made */
  assertUsedUp(): void
}

/** The same, which knows its own failures. */
export interface ReplayedRuns extends ReplayedModel {
  /** Whether this was thrown in place of a failure that was recorded. */
  isRecorded(error: Error): boolean
}

/**
 * A model that answers from a recording, each recorded request once, in whatever order they are made. Its name, and
 * whether answers are streamed, do not count. A request that is not there fails as `not_found`, with what differs
 * from the one it is most like. @throws CapstanError at once for what is no recording, and for one of no requests
 */
export function replay(file: string): ReplayedModel {
  const runs = recordingOf(file)
  if (runs.some(({ exchanges }) => exchanges.length > 0)) return replayOf(runs, file)
  const message = `"${file}" holds no request of a model: there is nothing to answer from. Record it again.`
  throw new CapstanError('invalid_request', message, { evidence: { file } })
}

/** The same of runs that are read already. */
export function replayOf(runs: readonly RunTold[], file: string): ReplayedRuns {
  const recorded = new AsRecorded()
  const exchanges = runs.flatMap((run) => run.exchanges.map((one) => redactedAgain(one, recorded)))
  const left = new Set(exchanges)
  const isIt = comparison()
  const failures = new WeakSet<Error>()
  return {
    name: exchanges[0]?.model ?? 'replay',
    structuredOutput: exchanges.some(({ settings }) => settings.response_format !== undefined),
    async complete(request, sink) {
      request.signal.throwIfAborted()
      const { runId, at } = placeOf(request.idempotencyKey)
      const asked = questionOf(request, (value) => recorded.once(value, runId))
      const found = pick([...left], at, (one) => isIt(one, asked))
      if (!found) {
        const isRepeated = exchanges.some((one) => isIt(one, asked))
        throw unknown(asked, { at, file, left: [...left], isRepeated })
      }
      left.delete(found)
      const { reply, failure } = withRunId({ reply: found.reply, failure: found.failure }, runId)
      const told = request.stream ? sink : onlyRetries(sink)
      for (const retry of (reply ?? failure)?.retries ?? [])
        told?.({ type: 'retry', ...retry, code: retry.code as ErrorCode })
      if (reply) return spoken(reply, told)
      const error = toError(found.at, failure)
      if (failure) failures.add(error)
      throw error
    },
    assertUsedUp() {
      if (left.size === 0) return
      const places = [...left].map(({ at }) => at).join(', ')
      const message = `${left.size} of the ${exchanges.length} requests in "${file}" were not made: ${places}.`
      throw new CapstanError('conflict', message, { evidence: { file, left: left.size } })
    },
    isRecorded: (error) => failures.has(error),
  }
}

/** The one of this place, else any: what runs side by side may be asked in another order. */
function pick(left: readonly Exchange[], at: string, isIt: (one: Exchange) => boolean): Exchange | undefined {
  return left.find((one) => one.at === at && isIt(one)) ?? left.find(isIt)
}

interface Asked {
  readonly at: string
  readonly file: string
  readonly left: readonly Exchange[]
  /** Whether it was recorded, and answered already. */
  readonly isRepeated: boolean
}

function unknown(asked: Question, { at, file, left, isRepeated }: Asked): CapstanError {
  const evidence = { file, at }
  if (isRepeated) {
    const message = `The request at ${at} was made more often than it was recorded in "${file}".`
    return new CapstanError('not_found', message, { evidence })
  }
  const near = nearest(left, asked, at)
  if (!near) {
    const message = `"${file}" has no further request, and one was made at ${at}.`
    return new CapstanError('not_found', message, { evidence })
  }
  const message = `The request at ${at} is not in "${file}". It differs from the one recorded at ${near.at}:\n${diffOf(recordedQuestion(near), asked)}\nIf the change is meant, record it again.`
  return new CapstanError('not_found', message, { evidence })
}

/** Of those left the one of this place, else the one that begins most like it. */
function nearest(left: readonly Exchange[], asked: Question, at: string): Exchange | undefined {
  const likeness = (one: Exchange) => {
    const differs = one.messages.findIndex((message, index) => !matches(message, asked.messages[index]))
    return differs === -1 ? one.messages.length : differs
  }
  return left.find((one) => one.at === at) ?? left.toSorted((a, b) => likeness(b) - likeness(a))[0]
}

function toError(at: string, failure: Exchange['failure']): CapstanError {
  const {
    code = 'truncated',
    message = `The recording ends before ${at} was answered.`,
    retries: _,
    ...details
  } = failure ?? {}
  return new CapstanError(code as ErrorCode, message, details)
}

function spoken({ deltas, retries: _, ...reply }: WrittenReply, sink: ModelSink | undefined): ModelReply {
  for (const delta of deltas ?? wholeOf(reply.message)) sink?.(toDelta(delta))
  return reply
}

/** Of an answer that was not streamed. */
function wholeOf({ content, tool_calls: calls = [] }: WrittenReply['message']): readonly WrittenDelta[] {
  const text = textOf(content)
  const called = calls.map(({ function: { name, arguments: args } }, call) => ({
    call,
    name,
    arguments: args,
  }))
  return [...(text === '' ? [] : [text]), ...called]
}

function toDelta(delta: WrittenDelta): ModelDelta {
  if (typeof delta === 'string') return { type: 'text', text: delta }
  if ('reasoning' in delta) return { type: 'reasoning', text: delta.reasoning }
  return { type: 'call', index: delta.call, name: delta.name, arguments: delta.arguments }
}

function onlyRetries(sink: ModelSink | undefined): ModelSink | undefined {
  return sink && ((delta) => delta.type === 'retry' && sink(delta))
}
