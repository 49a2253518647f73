import type { Json, Message, ToolDefinition, WireToolChoice } from '@capstan/core'
import { CapstanError } from '@capstan/core'
import { chainOf } from './chain-of.js'
import type {
  Beginning,
  Ending,
  Line,
  TellingEvent,
  WrittenFailure,
  WrittenOutcome,
  WrittenReply,
  WrittenRequest,
} from './lines.js'
import { fromWritten } from './message-lists.js'
import { readRecording } from './read-recording.js'

/** A request as it was made, and what came of it. */
export interface Exchange {
  readonly at: string
  readonly model: string
  readonly system: string | undefined
  /** The conversation behind the instructions. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: WireToolChoice
  readonly settings: Readonly<Record<string, unknown>>
  reply?: WrittenReply | undefined
  failure?: WrittenFailure | undefined
}

/** All that a recording tells of one run. */
export interface RunTold {
  readonly number: number
  begin?: Beginning
  end?: Ending & { readonly messages: readonly Message[] }
  readonly exchanges: Exchange[]
  readonly outcomes: { readonly at: string; readonly outcome: WrittenOutcome }[]
  readonly given: { readonly at: string; readonly given: Json }[]
  readonly nows: number[]
  readonly events: { readonly at: string; readonly event: TellingEvent }[]
  /** The same as they stand in the file. */
  readonly lines: Line[]
}

/** A recording, run by run. @throws CapstanError as `readRecording`, and `invalid_request` for lines that contradict each other */
export function recordingOf(file: string): readonly RunTold[] {
  const runs = new Map<number, RunTold>()
  for (const line of readRecording(file)) {
    const run = runs.get(line.run) ?? newRun(line.run)
    runs.set(line.run, run)
    run.lines.push(line)
    try {
      take(line, run)
    } catch (error) {
      const message = `The recording "${file}" contradicts itself at ${line.at} of run ${line.run}: ${(error as Error).message}.`
      throw new CapstanError('invalid_request', message, { evidence: { file, at: line.at }, cause: error })
    }
  }
  return [...runs.values()]
}

function newRun(number: number): RunTold {
  return { number, exchanges: [], outcomes: [], given: [], nows: [], events: [], lines: [] }
}

function take(line: Line, run: RunTold): void {
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
    run.end = { ...line.end, messages: fromWritten(line.end, (after) => messagesOf(after, run)) }
  else throw new Error('there is an answer to no request')
}

function toExchange(at: string, request: WrittenRequest, run: RunTold): Exchange {
  const before = run.exchanges.findLast((one) => chainOf(one.at) === chainOf(at))
  const { model, system, tools, toolChoice = 'auto', settings = {} } = request
  return {
    at,
    model,
    system: system === undefined ? before?.system : (system ?? undefined),
    messages: fromWritten(request, (after) => messagesOf(after, run)),
    tools: tools ?? before?.tools ?? [],
    toolChoice,
    settings,
  }
}

function messagesOf(at: string, { exchanges }: RunTold): readonly Message[] | undefined {
  return exchanges.findLast((one) => one.at === at)?.messages
}
