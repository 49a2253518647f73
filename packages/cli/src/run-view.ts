import type { RunEvent } from '@capstan/core'
import { TextReader, toJsonText } from '@capstan/core/internal'
import {
  applyEvent,
  type CallNode,
  type CallTree,
  isFinished,
  programIn,
  splitFinished,
} from './call-tree.js'
import {
  displayWidth,
  formatCount,
  formatDuration,
  redactSecrets,
  sanitizeText,
  toOneLine,
} from './format.js'
import type { Paint, Terminal } from './terminal.js'

/** Prints a run's events as they arrive. */
export interface RunView {
  handle(event: RunEvent): void
  /** Hides the live lines until the next event, so that a prompt can be shown. */
  pause(): void
  /** Stops updating the live lines, and prints the calls that have not finished. */
  end(): void
}

/**
 * Creates a view that streams the text and prints a line for each finished call. On a terminal, it also shows running
 * calls. `waiting` contains the pending calls of a run that is being resumed.
 */
export function createRunView(terminal: Terminal, waiting: CallTree = []): RunView {
  let tree = waiting
  let isPaused = false
  const reader = new TextReader()
  const view = () => ({ paint: terminal.paint, columns: terminal.size ? terminal.size.columns - 1 : 120 })
  const tell = (calls: CallTree) => {
    for (const line of calls.flatMap((call) => formatCall(call, view()))) terminal.writeLine(line)
  }
  const draw = () => {
    if (!terminal.size) return
    const lines = tree.flatMap((call) => formatCall(call, { ...view(), now: Date.now() }))
    terminal.setLiveLines(fitRows(lines, terminal.size.rows - 2))
  }
  const timer = terminal.size && setInterval(() => !isPaused && tree.length > 0 && draw(), 100).unref()
  return {
    handle(event) {
      isPaused = false
      for (const { kind, text, startsNew } of reader.event(event)) {
        if (kind !== 'text') continue
        if (startsNew) terminal.startLine()
        terminal.writeText(sanitizeText(text))
      }
      const said = formatEvent(event)
      if (said !== undefined)
        terminal.writeLine(`${'  '.repeat(depthOf(event))}${terminal.paint('faint', `! ${said}`)}`)
      const next = applyEvent(tree, event, Date.now())
      if (next === tree && said === undefined) return
      const { over, open } = splitFinished(next)
      tree = open
      tell(over)
      draw()
    },
    pause() {
      isPaused = true
      terminal.setLiveLines([])
    },
    end() {
      clearInterval(timer)
      terminal.setLiveLines([])
      tell(tree)
      tree = []
    },
  }
}

function depthOf({ parentCallId }: RunEvent): number {
  return parentCallId === undefined ? 0 : parentCallId.split('/').length
}

function fitRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= Math.max(rows, 1)) return lines
  const most = Math.max(rows - 1, 0)
  return [...lines.slice(0, most), `… ${lines.length - most} more`]
}

/** Creates a view that writes each event as one line of JSON. */
export function createJsonView(write: (text: string) => void): RunView {
  return {
    handle: (event) => write(`${sanitizeText(toJsonText(event))}\n`),
    pause() {},
    end() {},
  }
}

/** How to format the lines for calls. */
interface CallFormat {
  readonly paint: Paint
  /** The maximum width of a line in terminal columns. */
  readonly columns: number
  /** The current time in milliseconds, to show how long calls have been running. Absent for permanent lines. */
  readonly now?: number
}

/** Formats a call as one line, followed by the indented lines of its child calls. */
export function formatCall(call: CallNode, view: CallFormat, depth = 0): string[] {
  return [
    formatCallLine(call, view, depth),
    ...call.calls.flatMap((inner) => formatCall(inner, view, depth + 1)),
  ]
}

function formatCallLine(call: CallNode, { paint, columns, now }: CallFormat, depth: number): string {
  const indent = '  '.repeat(Math.min(depth, maxIndent))
  const end = formatEnd(call, now)
  const room = columns - indent.length - 2
  const name = toOneLine(call.name, room - 10)
  const free = room - displayWidth(name) - 1
  const called = call.source ?? call.arguments
  // The call's result takes precedence, but the arguments get at least half the width.
  const told = toOneLine(
    end,
    Math.max(Math.floor(free / 2), free - displayWidth(toOneLine(called, free)) - 1),
  )
  const given = toOneLine(called, free - displayWidth(told) - 1)
  const parts = [paint('strong', name), given, paint(toneOf(call), told)]
  return `${indent}${formatMark(call, paint, now)} ${parts.filter((part) => part !== '').join(' ')}`
}

function formatEnd(call: CallNode, now: number | undefined): string {
  const { state, ms = 0, content = '', artifacts = [], progress = '', since } = call
  if (state === 'ready') return ''
  if (state === 'pending') return 'pending'
  if (state === 'running') {
    const time =
      now === undefined || since === undefined ? '' : formatDuration(Math.floor((now - since) / 100) * 100)
    return [time, progress].filter((part) => part !== '').join(' ')
  }
  if (state !== 'ok')
    return `${state}: ${redactSecrets(content.slice(0, 1000)).replace(/^Error: (call denied: )?/, '')}`
  // The call to an agent has no duration of its own. Its child calls show theirs.
  const time = call.calls.length > 0 && ms === 0 ? '' : formatDuration(ms)
  return artifacts.length === 0 ? time : `${time} -> ${artifacts.join(', ')}`.trim()
}

function formatMark(call: CallNode, paint: Paint, now: number | undefined): string {
  if (call.state === 'ok') return paint('good', '✔')
  if (isFinished(call)) return paint('bad', '✖')
  if (call.state === 'pending' || now === undefined) return '?'
  return frames[Math.floor(now / 100) % frames.length] ?? ''
}

function toneOf(call: CallNode): 'faint' | 'bad' {
  const { state } = call
  return state === 'ok' || !isFinished(call) ? 'faint' : 'bad'
}

/** The maximum number of indentation levels. More levels would leave no room for text on a narrow terminal. */
const maxIndent = 6

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** Formats an event that the user should see, such as a retry. Undefined for text, calls and all other events. */
function formatEvent(event: RunEvent): string | undefined {
  const text = eventText(event)
  return text === undefined ? undefined : toOneLine(text, 200)
}

function eventText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'retry-scheduled': {
      const whom = event.model === undefined ? '' : ` with ${event.model}`
      return `${event.code}: ${event.message} Retrying${whom} in ${formatDuration(event.delayMs)}.`
    }
    case 'repair-applied':
      return `repaired the arguments of ${event.name}: ${event.repairs.join(', ')}`
    case 'limit-reached':
      return `limit reached: ${event.limit}`
    case 'stuck-detected':
      return `repeated calls (${event.names.join(', ')}): ${stages[event.stage]}`
    case 'tools-revealed':
      return `tools found: ${event.names.join(', ')}`
    case 'run-tainted':
      return `${event.by} returned untrusted text: calls with side effects need approval`
    case 'text-calls':
      return `calls written as text (${event.names.join(', ')})${event.hint ? `, which did not run: ${event.hint}` : ''}`
    case 'final-answer-failed':
      return `no final answer: ${event.code}: ${event.message}`
    case 'handed-off':
      return `handed off to ${event.to}`
    case 'middleware':
      return programIn(event) === undefined ? `${event.name}: ${event.action}` : undefined
    case 'context-lost':
      return `the server read ${event.reported} of about ${event.sent} tokens: check its context window`
    case 'context-over':
      return `the request has about ${event.tokens} tokens; the limit is ${event.maxTokens}`
    case 'context-trimmed':
      return `the model gets ${event.after} of ${formatCount(event.before, 'message')}`
    case 'effects-left-behind':
      return `the branch drops calls whose effects remain: ${event.calls.map(({ name }) => name).join(', ')}`
    case 'prefix-broken':
      return `the server cannot use its cache from ${event.at} on: ${event.because}`
    default:
      return undefined
  }
}

const stages = {
  warn: 'the model was warned',
  disable: 'the tools are disabled for a step',
  stop: 'requesting a final answer',
} as const
