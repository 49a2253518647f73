import {
  CapstanError,
  type Json,
  type Message,
  type ToolDefinition,
  type WireToolChoice,
} from '@capstan/core'
import { isRecord, messageOf, tryJson } from '@capstan/core/internal'
import {
  expandMessages,
  head,
  type Line,
  type RecordedEnd,
  type RecordedEvent,
  type RecordedFailure,
  type RecordedOutcome,
  type RecordedReply,
  type RecordedRequest,
  type RecordedStart,
  requestChain,
} from './format.js'
import { findLineProblem } from './format-schema.js'
import { fileSystem } from './recorder.js'

/**
 * Reads a recording's lines. Ignores the last line if it is incomplete.
 * @throws CapstanError `not_found` if the file cannot be read, `unsupported` for a different version, `invalid_request`
 * for a file that is not a recording or contains no lines
 */
function readLines(file: string): readonly Line[] {
  const [first = '', ...rest] = readText(file).split('\n')
  checkHead(first, file)
  // The last item is the text after the last line break. It is empty, a complete line, or an incomplete line.
  const whole = tryJson(rest.at(-1) ?? '') === undefined ? rest.slice(0, -1) : rest
  if (whole.length === 0) throw emptyRecordingError(file)
  return whole.map((text, at) => toLine(text, { file, at: at + 2 }))
}

function emptyRecordingError(file: string): CapstanError {
  const message = `"${file}" contains no run. Record it again.`
  return new CapstanError('invalid_request', message, { evidence: { file } })
}

function readText(file: string): string {
  try {
    return fileSystem().readFileSync(file, 'utf8')
  } catch (error) {
    const message = `Cannot read the recording "${file}": ${messageOf(error)}.`
    throw new CapstanError('not_found', message, { evidence: { file }, cause: error })
  }
}

function checkHead(text: string, file: string): void {
  const found = tryJson(text)
  if (!isRecord(found) || found.capstan !== head.capstan) {
    const message = `"${file}" is not a recording: it does not start with ${JSON.stringify(head)}.`
    throw new CapstanError('invalid_request', message, { evidence: { file } })
  }
  if (found.version === head.version) return
  const message = `"${file}" has recording version ${JSON.stringify(found.version)}, but this version of Capstan reads only version ${head.version}. Record it again, or use the Capstan version that wrote it.`
  throw new CapstanError('unsupported', message, { evidence: { file, version: found.version } })
}

interface LinePosition {
  readonly file: string
  readonly at: number
}

function toLine(text: string, { file, at }: LinePosition): Line {
  const line = tryJson(text)
  const why = line === undefined ? 'it is not JSON' : findLineProblem(line)
  if (why === undefined) return line as Line
  const message = `Line ${at} of "${file}" is not a valid line (${why}): ${text.slice(0, 80)}`
  throw new CapstanError('invalid_request', message, { evidence: { file, line: at } })
}

/** A recorded request, with its reply or failure. */
export interface Exchange {
  readonly at: string
  readonly model: string
  readonly system: string | undefined
  /** The messages, without the instructions. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: WireToolChoice
  readonly settings: Readonly<Record<string, unknown>>
  reply?: RecordedReply | undefined
  failure?: RecordedFailure | undefined
}

export interface RunRecording {
  readonly number: number
  begin?: RecordedStart
  end?: RecordedEnd & { readonly messages: readonly Message[] }
  readonly exchanges: Exchange[]
  readonly outcomes: { readonly at: string; readonly outcome: RecordedOutcome }[]
  readonly given: { readonly at: string; readonly given: Json }[]
  readonly nows: number[]
  readonly events: { readonly at: string; readonly event: RecordedEvent }[]
  /** All of the run's lines, in the same order as in the file. */
  readonly lines: Line[]
}

/**
 * Reads the runs in a recording.
 * @throws CapstanError for the same reasons as `readLines`, and `invalid_request` for lines that contradict each other
 */
export function readRuns(file: string): readonly RunRecording[] {
  const runs = new Map<number, RunRecording>()
  for (const line of readLines(file)) {
    const run = runs.get(line.run) ?? emptyRun(line.run)
    runs.set(line.run, run)
    run.lines.push(line)
    try {
      addLine(line, run)
    } catch (error) {
      const message = `The recording "${file}" contradicts itself at ${line.at} in run ${line.run}: ${(error as Error).message}.`
      throw new CapstanError('invalid_request', message, { evidence: { file, at: line.at }, cause: error })
    }
  }
  return [...runs.values()]
}

function emptyRun(number: number): RunRecording {
  return { number, exchanges: [], outcomes: [], given: [], nows: [], events: [], lines: [] }
}

function addLine(line: Line, run: RunRecording): void {
  const { at } = line
  const last = run.exchanges.findLast((one) => one.at === at)
  if ('begin' in line) run.begin = line.begin
  else if ('request' in line) run.exchanges.push(toExchange(at, line.request, run))
  else if ('reply' in line && last) last.reply = line.reply
  else if ('failure' in line && last) last.failure = line.failure
  else if ('outcome' in line) run.outcomes.push(line)
  else if ('given' in line) run.given.push(line)
  else if ('now' in line) run.nows.push(line.now)
  else if ('event' in line) run.events.push(line)
  else if ('end' in line)
    run.end = { ...line.end, messages: expandMessages(line.end, (after) => messagesOf(after, run)) }
  else throw new Error('a reply or failure has no request')
}

function toExchange(at: string, request: RecordedRequest, run: RunRecording): Exchange {
  const before = run.exchanges.findLast((one) => requestChain(one.at) === requestChain(at))
  const { model, system, tools, toolChoice = 'auto', settings = {} } = request
  return {
    at,
    model,
    system: system === undefined ? before?.system : (system ?? undefined),
    messages: expandMessages(request, (after) => messagesOf(after, run)),
    tools: tools ?? before?.tools ?? [],
    toolChoice,
    settings,
  }
}

function messagesOf(at: string, { exchanges }: RunRecording): readonly Message[] | undefined {
  return exchanges.findLast((one) => one.at === at)?.messages
}
