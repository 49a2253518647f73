import type { CallResult, PendingCall, ToolCall } from '@capstan/core'
import {
  callsOf,
  isRecord,
  isRequestKey,
  isSideRequestKey,
  keyWithin,
  type Outcome,
  readStepKey,
  stepKey,
  textOf,
  visibleText,
} from '@capstan/core/internal'
import { formatCall, formatInline, formatToolCall } from '../diff.js'
import { explainNote } from './explain-note.js'
import type {
  Line,
  RecordedEnd,
  RecordedEvent,
  RecordedFailure,
  RecordedReply,
  RecordedStart,
} from './format.js'
import { type Exchange, type RunRecording, readRuns } from './read.js'

/**
 * Explains a recording's runs step by step. The returned text is safe to show: it contains no secrets, long strings are
 * shortened, and control characters are escaped.
 * @throws CapstanError if the file is not a recording
 */
export function explain(file: string): string {
  return readRuns(file)
    .map((run) =>
      explainRun(run)
        .map(({ text }) => text)
        .join('\n'),
    )
    .join('\n\n')
}

/** A line of `explain`, with the run and the part that it explains. */
export interface ExplainedLine {
  /** The run's number in the recording, starting at 1. */
  readonly run: number
  /** The key of the part: `begin`, a step key such as `step0/request` or `step1/call0`, or `end`. */
  readonly at: string
  /** The line's text. Lines about parts of a step, and about child runs, are indented more. */
  readonly text: string
}

/**
 * Returns the lines of `explain(file)`, each with the run and key that it explains.
 * @throws CapstanError if the file is not a recording
 */
export function explainEntries(file: string): readonly ExplainedLine[] {
  return readRuns(file).flatMap(explainRun)
}

function explainRun(run: RunRecording): readonly ExplainedLine[] {
  const toEntries = (at: string, texts: readonly string[]) =>
    texts.map((text) => ({ run: run.number, at, text: visibleText(text) }))
  const lines = run.lines.flatMap((line) => {
    const indent = '  '.repeat(depthOf(line.at))
    return toEntries(
      line.at,
      explainLine(line, run).map((text) => indent + text),
    )
  })
  const unfinished = run.begin && !run.end ? ['  the recording ends before the run'] : []
  return [...toEntries('begin', runHeading(run)), ...lines, ...toEntries('end', unfinished)]
}

function runHeading({ number, begin }: RunRecording): readonly string[] {
  if (!begin) return [`Run ${number} (only its requests are recorded)`]
  const limits = Object.entries(begin.limits).map(([name, bound]) => `${name} ${formatInline(bound)}`)
  const bounds = limits.length > 0 ? `, limits: ${limits.join(', ')}` : ''
  return [`Run ${number} of the agent "${begin.agent}"${bounds}`, `  ${runInput(begin)}`]
}

function runInput({ messages = [], state }: RecordedStart): string {
  if (state) return `resumes a state of ${state.stepCount} steps and ${state.messages.length} messages`
  const last = messages.at(-1)
  const said = last?.role === 'user' ? formatInline(textOf(last.content)) : `a ${last?.role} message`
  return messages.length > 1 ? `gets ${messages.length} messages, the last: ${said}` : `gets: ${said}`
}

/** Returns how many levels to indent a key. Parts of a step, and child runs, are indented more. */
function depthOf(at: string): number {
  const key = readStepKey(at)
  const beginsStep = key && isRequestKey(key) && key.further === ''
  return Math.max(1, at.split('/').length - (beginsStep ? 1 : 0))
}

function explainLine(line: Line, run: RunRecording): readonly string[] {
  const { at } = line
  if ('request' in line)
    return explainRequest(
      run.exchanges.find((one) => one.at === at),
      at,
    )
  if ('reply' in line) return [...explainReply(line.reply), ...explainOtherCalls(line, run)].map(indent)
  if ('failure' in line) return explainFailure(line.failure).map(indent)
  if ('outcome' in line) return explainOutcome(line.outcome, findCall(at, run), isProgram(at, run))
  if ('event' in line) {
    // Skip this event, because the program's source is shown where the program starts.
    if (line.event.type === 'middleware' && line.event.name === 'program-runs') return []
    return [
      readStepKey(at)?.kind === 'request'
        ? indent(explainEvent(line.event, run))
        : explainEvent(line.event, run),
    ]
  }
  if ('given' in line) return [`decision: ${formatInline(line.given)}`]
  return 'end' in line ? explainEnd(line.end) : []
}

function indent(text: string): string {
  return `  ${text}`
}

function explainRequest(exchange: Exchange | undefined, at: string): readonly string[] {
  if (!exchange) return []
  const { model, messages, tools, toolChoice } = exchange
  const offered = tools.length === 0 ? 'no tools' : plural(tools.length, 'tool')
  const forced =
    toolChoice === 'auto'
      ? ''
      : `, and must call ${typeof toolChoice === 'string' ? 'one' : toolChoice.function.name}`
  const asked = `${model} gets ${plural(messages.length, 'message')} and ${offered}${toolChoice === 'none' ? ', and must not call any' : forced}`
  const key = readStepKey(at)
  if (key && isSideRequestKey(key)) return [indent(`side request: ${asked}`)]
  if (key?.further.endsWith('again')) return [indent(`repeated after the server rejected it: ${asked}`)]
  if (key?.further) return [indent(`requested again by a middleware: ${asked}`)]
  return [key?.kind === 'final' ? `final answer: ${asked}` : `step ${key?.step ?? ''}: ${asked}`]
}

function explainRetries({ retries = [] }: Pick<RecordedReply, 'retries'>): readonly string[] {
  return retries.map(({ code, message, delayMs, model }) => {
    const then = model === undefined ? `retry after ${delayMs} ms` : `${model} is tried instead`
    return `attempt failed (${code}: ${formatInline(message)}): ${then}`
  })
}

function explainReply(reply: RecordedReply): readonly string[] {
  const { message, tokens, finishReason, incomplete, notes = [] } = reply
  const counts = tokens ? ` (${tokens.inputTokens} tokens in, ${tokens.outputTokens} out)` : ''
  const calls = callsOf(message)
  const text = textOf(message.content).trim()
  const cut = finishReason === 'length' ? ', cut off at the token limit' : incomplete ? ', incomplete' : ''
  const silent = calls.length === 0 && text === '' ? ['empty reply'] : []
  return [
    ...explainRetries(reply),
    ...(message.refusal ? [`refusal: ${formatInline(String(message.refusal))}`] : []),
    ...(text === '' ? silent : [`reply: ${formatInline(text)}${cut}`]),
    ...(calls.length > 0 ? [`reply with ${plural(calls.length, 'call')}${cut}`] : []),
  ]
    .map((line, at, all) => (at === all.length - 1 ? line + counts : line))
    .concat(notes.map((note) => `note: ${explainNote(note)}`))
}

/**
 * Explains calls that have no line in the recording, with the text that the model got: calls that were rejected before
 * they ran, and all calls that child agents made.
 */
function explainOtherCalls(
  { at, reply }: Line & { readonly reply: RecordedReply },
  run: RunRecording,
): readonly string[] {
  const key = readStepKey(at)
  if (!key) return []
  const isStep = (index: number) => {
    const place = keyWithin(key.run, stepKey(key.step, `call${index}`))
    return run.outcomes.some((one) => one.at === place)
  }
  const outcome = key.run === '' ? 'rejected' : 'answered'
  const told = [...run.exchanges.map(({ messages }) => messages), run.end?.messages ?? []].flat()
  return callsOf(reply.message).flatMap((call, index) => {
    if (isStep(index)) return []
    const answer = told.find((message) => message.role === 'tool' && message.tool_call_id === call.id)
    return answer ? [`${formatToolCall(call)} ${outcome}: ${formatInline(textOf(answer.content))}`] : []
  })
}

function explainFailure(failure: RecordedFailure): readonly string[] {
  const { code, status, message } = failure
  const passing = failure.retryable ? ', retryable' : ''
  return [
    ...explainRetries(failure),
    `request failed (${code}${status === undefined ? '' : ` ${status}`}${passing}): ${message}`,
  ]
}

/** Finds the call that a result belongs to, either in a reply or in the state that the run resumes. */
function findCall(at: string, { begin, exchanges }: RunRecording): ToolCall | undefined {
  const key = readStepKey(at)
  if (!key) return undefined
  const asked = keyWithin(key.run, stepKey(key.step, 'request'))
  const reply = exchanges.findLast((one) => one.at === asked)?.reply?.message
  const isOutermost = key.run === ''
  const given = isOutermost ? begin?.state?.messages.findLast(({ role }) => role === 'assistant') : undefined
  return callsOf(reply ?? given)[key.index]
}

function explainOutcome(
  { name, came }: { readonly name: string; readonly came: Outcome },
  call: ToolCall | undefined,
  runsProgram: boolean,
): readonly string[] {
  // An approval may have changed the arguments.
  const edited = 'arguments' in came && isRecord(came.arguments) ? came.arguments : undefined
  const called = call && !edited ? formatToolCall(call) : formatCall(name, edited ?? {})
  switch (came.status) {
    case 'ready':
      if (runsProgram) return [`${name} runs a program:`, ...sourceLines(came.input).map(indent)]
      return [`${called} starts a child agent: ${formatInline(came.input)}`]
    case 'pending':
      return [`${called} is pending`]
    case 'paused':
      return [`${called}: its child agent is pending`]
    default: {
      const why = reasons[came.status]
      return [
        ...explainProgram(came),
        // The program's source has already been shown, so omit the arguments.
        `${call?.function.name === programTool ? programTool : called} ${came.status}${why ? ` (${why})` : ''}: ${formatInline(came.content) || '(nothing)'}`,
      ]
    }
  }
}

/**
 * Whether a result belongs to a call that runs a program. It does if the tool is `run_program`, or if the result
 * contains calls.
 */
function isProgram(at: string, { outcomes }: RunRecording): boolean {
  const key = readStepKey(at)
  if (!key) return false
  const end = keyWithin(key.run, stepKey(key.step, `child${key.index}`))
  return outcomes.some(
    ({ at: place, outcome: { name, came } }) =>
      (place === at && name === programTool) || (place.startsWith(end) && 'calls' in came),
  )
}

const programTool = 'run_program'
const mostSourceLines = 40

/** Numbers a program's lines from 1, like error messages do. */
function sourceLines(source: string): readonly string[] {
  const lines = source.split('\n')
  const shown = lines
    .slice(0, mostSourceLines)
    .map((line, at) => `${at + 1} | ${line.slice(0, 200)}`.trimEnd())
  const more = lines.length - mostSourceLines
  return more > 0 ? [...shown, `... ${plural(more, 'more line')}`] : shown
}

/** Lists the calls that a program made (`@capstan/code`). */
function explainProgram({ calls = [] }: CallResult): readonly string[] {
  return calls.map(({ name, arguments: args, status }) =>
    indent(`in the program: ${formatCall(name, args)} ${status}`),
  )
}

const reasons: Readonly<Record<string, string>> = {
  rejected: 'its function did not run; the model gets the error',
  denied: 'its function did not run',
  cut_off: 'it may have taken effect',
  not_run: 'the run ended first',
}

function explainEnd({ stopReason, limit, steps, usage }: RecordedEnd): readonly string[] {
  const why = limit === undefined ? endings[stopReason] : `the limit on ${limit} was reached`
  const used = [
    plural(steps, 'step'),
    plural(usage.toolCalls, 'call'),
    plural(usage.totalTokens, 'token'),
  ].join(', ')
  return [`ends as ${stopReason}: ${why} (${used})`]
}

const endings: Readonly<Record<RecordedEnd['stopReason'], string>> = {
  done: 'the model replied',
  pending: 'calls are pending; resume the state with decisions on them',
  limit: 'a limit was reached',
  stuck: 'it made no progress',
  condition: "the agent's stopWhen was true, or a result is the final answer",
  length: "the model's reply was cut off at the token limit",
  refusal: 'the model declined',
  content_filter: 'the server withheld the reply',
  aborted: 'it was aborted',
  error: 'the model request failed',
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Explains an event and its consequences. */
function explainEvent(event: RecordedEvent, { exchanges }: RunRecording): string {
  switch (event.type) {
    case 'repair-applied':
      return `the arguments of ${event.name} are repaired, as the agent allows: ${event.repairs.join('; ')}`
    case 'call-pending':
      return explainPending(event)
    case 'limit-reached': {
      const isAsked = exchanges.some(({ at }) => readStepKey(at)?.kind === 'final')
      const then = isAsked ? 'the model is asked for a final answer, without calls' : 'the run ends'
      return `the limit on ${event.limit} has been reached: ${then}`
    }
    case 'stuck-detected':
      return `a step with calls to ${event.names.join(' and ')} repeats earlier steps: ${stages[event.stage]}`
    case 'tools-revealed': {
      const by = event.query === undefined ? '' : `, found with the query "${event.query}"`
      return `from now on, the model is offered ${event.names.join(' and ')}${by}`
    }
    case 'run-tainted':
      return `the model gets untrusted output from ${event.by}: from now on, calls that may change things need approval`
    case 'text-calls': {
      const then = event.recovered ? 'they run as calls' : 'they do not run'
      return `the model wrote calls to ${event.names.join(' and ')} as text (${event.form}): ${then}`
    }
    case 'final-answer-failed':
      return `the request for a final answer failed (${event.code}: ${event.message}): the run ends without one`
    case 'handed-off':
      return `the agent "${event.to}" takes over the conversation`
    case 'message-delivered':
      return `message from the caller: ${event.text}`
    case 'context-trimmed':
      return `${event.by} shortens the history: ${event.after} of ${event.before} messages are sent`
    case 'context-over':
      return `the request is not sent: it has about ${event.tokens} tokens, and the limit is ${event.maxTokens}`
    case 'effects-left-behind':
      return `the branch omits calls whose effects remain: ${event.calls.map(({ name }) => name).join(', ')}`
    case 'prefix-broken':
      return `the request does not extend the previous one, from ${event.at} on: ${event.because}`
    case 'context-lost':
      return `the server read only ${event.reported} of about ${event.sent} tokens: its context window is probably about ${event.window} tokens`
    case 'middleware':
      return `the middleware "${event.name}": ${event.action}${event.data === undefined ? '' : ` ${formatInline(event.data)}`}`
  }
}

const stages = {
  warn: 'the model gets a warning',
  disable: 'in the next step, calls to the tool are rejected',
  stop: 'the run ends as stuck',
}

function explainPending({ name, arguments: args, kind, reason }: PendingCall): string {
  const what = kind === 'approval' ? 'approval' : 'a result'
  return `${formatCall(name, args)} is waiting for ${what}${reason === undefined ? '' : `: ${reason}`}`
}
