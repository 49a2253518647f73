import type { Artifact } from './artifacts/artifact.js'
import type { Json, Jsonified } from './json.js'
import { exceededLimits } from './limits.js'
import { openCalls, type RunContext } from './run/run-context.js'
import { stoppedError } from './run/stop.js'
import { resultsSoFar } from './run/turn.js'
import { cancelledResult, notRunResult } from './tools/rejections.js'
import type { AnyTool, ArgumentsOf, NameOf, ResultOf } from './tools/tool.js'
import { callsOf, type Message, wordsOf } from './types/message.js'
import type { CallRecord, CallStatus, LimitName, PendingCall, RunState, StopReason } from './types/state.js'
import type { Usage } from './usage.js'

/**
 * The result of a run. `output` is there when the run is done and its agent has an output schema. `RunResult` alone is
 * the result of any agent.
 */
export type RunResult<Tools extends readonly AnyTool[] = readonly AnyTool[], Output = unknown> = RunFacts &
  RunCalls<Tools, Output> &
  (Done<Output> | NotDone)

interface RunCalls<Tools extends readonly AnyTool[], Output> {
  /**
   * Calls finished since this run started or was resumed, in call order, each once. Those of a step that waits for
   * decisions are in the pending result, and again in the result that finishes the step.
   */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
  /** Returns this result when the run is done. @throws CapstanError `stopped` otherwise, with the state */
  orThrow(): this & Done<Output>
}

interface Done<Output> {
  readonly stopReason: 'done'
  /** The final reply as a value of the agent's output schema. */
  readonly output: Output
}

interface NotDone {
  readonly stopReason: Exclude<StopReason, 'done'>
  readonly output?: undefined
}

/** The result of a run whose tools are unknown to the types. */
export type AnyRunResult = RunResult

interface RunFacts {
  readonly stopReason: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  readonly limit?: LimitName
  /**
   * The limits of tokens and cost that the usage exceeds, or exceeds perhaps because a price is missing: a reply was
   * longer than what was left. Absent when they hold.
   */
  readonly exceeded?: readonly LimitName[]
  /** The last text of the model in this run; `''` only when it wrote none, or the last reply was empty: see `incomplete`. */
  readonly text: string
  /** The model's refusal, when `stopReason` is `refusal`. */
  readonly refusal?: string
  /** True when the end of the text is missing, or when the run is done, or its final answer was requested, without a text. */
  readonly incomplete?: boolean
  /** What the caller should know of the run, such as calls that the model wrote as text. Absent when there is nothing. */
  readonly warnings?: readonly string[]
  /**
   * What the server sent with the last reply beside its text and its calls: `citations`, `search_results`, `annotations`,
   * `logprobs`, each as received. Absent when it sent none of them.
   */
  readonly extra?: Readonly<Record<string, Json>>
  /** The whole conversation, to start the next run with. */
  readonly messages: readonly Message[]
  /** The number of replies of the model. */
  readonly steps: number
  /** The artifacts that calls made, each once, oldest first. */
  readonly artifacts: readonly Artifact[]
  readonly usage: Usage
  readonly pending?: readonly PendingCall[]
  /** Messages given to `run.send` too late for the model to read them. */
  readonly undelivered?: readonly string[]
  /** Plain JSON to resume from: `agent.run(state)`. */
  readonly state: RunState
}

/**
 * A finished call, typed by its tool name. `dynamic` calls are of tools known only at run time, or of unknown names.
 * Arguments are as the model wrote them; those of a call that is not `ok` may not match the schema.
 */
export type ToolCallResult<Tools extends readonly AnyTool[]> = [KnownCall<Tools[number]>] extends [never]
  ? AnyToolCall
  : CallFacts &
      (
        | KnownCall<Tools[number]>
        | ({ readonly dynamic: true; readonly name: string } & Outcome<unknown, unknown>)
      )

type KnownCall<T extends AnyTool> = T extends AnyTool
  ? string extends NameOf<T>
    ? never
    : { readonly dynamic?: false; readonly name: NameOf<T> } & Outcome<
        Jsonified<ArgumentsOf<T>>,
        Jsonified<ResultOf<T>>
      >
  : never

type Outcome<Arguments, Result> =
  | { readonly status: 'ok'; readonly arguments: Arguments; readonly result: Result }
  | { readonly status: Exclude<CallStatus, 'ok'>; readonly arguments: unknown; readonly result?: undefined }

/** A finished call of any tool. */
export type AnyToolCall = CallFacts & {
  readonly dynamic?: boolean
  readonly name: string
  readonly status: CallStatus
  readonly arguments: unknown
  readonly result?: unknown
}

interface CallFacts {
  readonly callId: string
  /** The step that made the call, from 0. */
  readonly step: number
  /** Duration of the tool's function in milliseconds. */
  readonly ms: number
  /** The tool message that the model read. */
  readonly content: string
  /** The artifacts in the result. Absent without any. */
  readonly artifacts?: readonly Artifact[]
  /** True if a person approved the call. */
  readonly approved?: boolean
  /** True if values of the arguments were repaired to fit the schema. */
  readonly repaired?: boolean
  /** The id that the model read in place of an error message. */
  readonly errorId?: string
}

export function toResult<Tools extends readonly AnyTool[], Output>(
  run: RunContext,
  known: ReadonlySet<string>,
  undelivered: readonly string[] = [],
): RunResult<Tools, Output> {
  const { state, task } = run
  const text = lastWords(state, task)
  const last = state.messages.findLast((message) => message.role === 'assistant')
  const exceeded = exceededLimits(state)
  const extra = extraOf(state, last)
  const facts = {
    stopReason: state.stopReason ?? 'done',
    ...(state.output === undefined ? {} : { output: state.output }),
    ...(state.limit ? { limit: state.limit } : {}),
    ...(exceeded.length > 0 ? { exceeded } : {}),
    text,
    ...(typeof last?.refusal === 'string' ? { refusal: last.refusal } : {}),
    ...(state.flags.incomplete || (text === '' && !last?.media && endsInText(state))
      ? { incomplete: true }
      : {}),
    ...(state.flags.warnings ? { warnings: state.flags.warnings } : {}),
    ...(extra ? { extra } : {}),
    messages: withAnswers(state),
    steps: state.turn,
    toolCalls: [...run.toolCalls, ...resultsSoFar(run)].map((record) => toCallResult<Tools>(record, known)),
    artifacts: state.artifacts ?? [],
    usage: state.usage,
    ...(state.pending.length > 0 ? { pending: state.pending } : {}),
    ...(undelivered.length > 0 ? { undelivered } : {}),
    state,
    orThrow() {
      if (state.stopReason !== 'done') throw stoppedError(state)
      return this
    },
  }
  // The output was validated by the schema of this type.
  return facts as unknown as RunResult<Tools, Output>
}

/** What came with the last reply of the run. The annotations are in the message: the server gets them back. */
function extraOf({ extra, turn }: RunState, last: Message | undefined): RunState['extra'] {
  const annotations = last?.role === 'assistant' && turn > 0 ? last.annotations : undefined
  if (!Array.isArray(annotations) || annotations.length === 0) return extra
  return { ...extra, annotations }
}

/** Whether a run should have a text: it is done without an output, or its final answer was requested. */
function endsInText({ stopReason, output, flags }: RunState): boolean {
  return output === undefined && (stopReason === 'done' || flags.landed === true)
}

/** The messages with results for open calls, so that a run over them does not report running calls as not run. */
function withAnswers(state: RunState): readonly Message[] {
  const { answered, children = {} } = state
  if (Object.keys({ ...answered, ...children }).length === 0) return state.messages
  const told = openCalls(state).map(({ id }, index) => ({
    role: 'tool' as const,
    tool_call_id: id,
    // A pending child run may have done something already.
    content: (answered[index] ?? (children[index] ? cancelledResult : notRunResult)).content,
  }))
  return [...state.messages, ...told]
}

/** The text of the last reply that has any, so that a run stopped by a limit has some. A finished run ends with it. */
function lastWords({ messages, stopReason }: RunState, task: number): string {
  const last = messages.at(-1)
  if (stopReason === 'done')
    return last?.role === 'assistant' && callsOf(last).length === 0 ? wordsOf(last) : ''
  const said = messages.slice(task + 1).filter((message) => message.role === 'assistant')
  const texts = said.map(wordsOf)
  return texts.findLast((text) => text.trim() !== '') ?? ''
}

function toCallResult<Tools extends readonly AnyTool[]>(
  record: CallRecord,
  known: ReadonlySet<string>,
): ToolCallResult<Tools> {
  const { artifacts, ...rest } = record
  const facts = artifacts?.length ? { ...rest, artifacts } : rest
  return (known.has(record.name) ? facts : { ...facts, dynamic: true }) as unknown as ToolCallResult<Tools>
}
