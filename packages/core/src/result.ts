import type { Artifact } from './artifacts/artifact.js'
import type { Jsonified } from './json.js'
import { type CallRecord, openCalls, type RunContext } from './run/run-context.js'
import { stoppedError } from './run/stop.js'
import { cancelledResult, notRunResult } from './tools/rejections.js'
import type { AnyTool, ArgumentsOf, NameOf, ResultOf } from './tools/tool.js'
import { callsOf, type Message, textOf } from './types/message.js'
import type { CallStatus, LimitName, PendingCall, RunState, StopReason } from './types/state.js'
import type { Usage } from './usage.js'

/** How a run ended, and all it made. `output` is there when it is done, and the agent asks for a form. */
export type RunResult<Tools extends readonly AnyTool[] = [], Output = undefined> = RunFacts &
  RunCalls<Tools, Output> &
  (Done<Output> | NotDone)

interface RunCalls<Tools extends readonly AnyTool[], Output> {
  /** Calls answered since this run, or this continuation, began, in call order. */
  readonly toolCalls: readonly ToolCallResult<Tools>[]
  /** This result when it is done. @throws CapstanError `stopped` otherwise, with the state */
  orThrow(): this & Done<Output>
}

interface Done<Output> {
  readonly stopReason: 'done'
  /** The answer in the form that the agent asks for. */
  readonly output: Output
}

interface NotDone {
  readonly stopReason: Exclude<StopReason, 'done'>
  readonly output?: undefined
}

/** The result of a run whose tools are not known here. */
export interface AnyRunResult extends RunFacts {
  readonly toolCalls: readonly AnyToolCall[]
  orThrow(): this
}

interface RunFacts {
  readonly stopReason: StopReason
  /** The limit that was reached, when `stopReason` is `limit`. */
  readonly limit?: LimitName
  /** The last words of the model in this run; `''` only when it said none before something else than `done` ended it. */
  readonly text: string
  /** What the model said in place of an answer, when `stopReason` is `refusal`. */
  readonly refusal?: string
  /** True when the end of the text never came, or nothing came, though it was asked for twice. */
  readonly incomplete?: boolean
  /** The whole conversation, to start the next run with. */
  readonly messages: readonly Message[]
  /** Answers of the model. */
  readonly steps: number
  /** What the calls made, each once, oldest first. */
  readonly artifacts: readonly Artifact[]
  readonly usage: Usage
  readonly pending?: readonly PendingCall[]
  /** What `run.send` was given too late for the model to read it. */
  readonly undelivered?: readonly string[]
  /** Plain JSON to go on from: `agent.run(state)`. */
  readonly state: RunState
}

/**
 * One call by tool name. `dynamic` calls are of tools known only at run time, or of a name that no tool has.
 * Arguments are as the model wrote them; a call that was not `ok` promises nothing about them.
 */
export type ToolCallResult<Tools extends readonly AnyTool[]> = CallFacts &
  (KnownCall<Tools[number]> | ({ readonly dynamic: true; readonly name: string } & Outcome<unknown, unknown>))

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

export type AnyToolCall = CallFacts & {
  readonly dynamic?: boolean
  readonly name: string
  readonly status: CallStatus
  readonly arguments: unknown
  readonly result?: unknown
}

interface CallFacts {
  readonly callId: string
  /** Which answer of the model made it, from 0. */
  readonly step: number
  /** Duration of the tool's function in milliseconds. */
  readonly ms: number
  /** What the model was told. */
  readonly content: string
  /** The reference that the model read in place of an error's message. */
  readonly errorId?: string
}

export function toResult<Tools extends readonly AnyTool[], Output>(
  { state, records, task }: RunContext,
  known: ReadonlySet<string>,
  undelivered: readonly string[] = [],
): RunResult<Tools, Output> {
  const text = lastWords(state, task)
  const last = state.messages.findLast((message) => message.role === 'assistant')
  const facts = {
    stopReason: state.stopReason ?? 'done',
    ...(state.output === undefined ? {} : { output: state.output }),
    ...(state.limit ? { limit: state.limit } : {}),
    text,
    ...(typeof last?.refusal === 'string' ? { refusal: last.refusal } : {}),
    ...(state.flags.incomplete || (state.stopReason === 'done' && text === '' && state.output === undefined)
      ? { incomplete: true }
      : {}),
    messages: withAnswers(state),
    steps: state.turn,
    toolCalls: records.map((record) => toCallResult<Tools>(record, known)),
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
  // What was read as the agent's form has its type.
  return facts as unknown as RunResult<Tools, Output>
}

/** With what is known of calls that are open: a run over these messages must not be told that they did not run. */
function withAnswers(state: RunState): readonly Message[] {
  const { answered, children = {} } = state
  if (Object.keys({ ...answered, ...children }).length === 0) return state.messages
  const told = openCalls(state).map(({ id }, index) => ({
    role: 'tool' as const,
    tool_call_id: id,
    // An agent that waits may have done something already.
    content: (answered[index] ?? (children[index] ? cancelledResult : notRunResult)).content,
  }))
  return [...state.messages, ...told]
}

/** Of the last answer that has any: what was said before a limit is better than nothing. A run that is done has said it last. */
function lastWords({ messages, stopReason }: RunState, task: number): string {
  const last = messages.at(-1)
  if (stopReason === 'done')
    return last?.role === 'assistant' && callsOf(last).length === 0 ? textOf(last.content) : ''
  const said = messages.slice(task + 1).filter((message) => message.role === 'assistant')
  const texts = said.map(({ content }) => textOf(content))
  return texts.findLast((text) => text.trim() !== '') ?? ''
}

function toCallResult<Tools extends readonly AnyTool[]>(
  record: CallRecord,
  known: ReadonlySet<string>,
): ToolCallResult<Tools> {
  const { artifacts: _, ...rest } = record
  return (known.has(record.name) ? rest : { ...rest, dynamic: true }) as unknown as ToolCallResult<Tools>
}
