import type { RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import { type CallTree, isOver, type ShownCall, split, withEvent } from './call-tree.js'
import { columnsOf, count, duration, oneLine, plainText, withoutSecrets } from './format.js'
import type { Paint, Screen } from './terminal.js'

/** Shows a run while it goes on. */
export interface Reporter {
  take(event: RunEvent): void
  /** Shows nothing that changes, until the next event. */
  pause(): void
  /** Tells what is left to tell; nothing changes any more. */
  end(): void
}

/** Words as they come, a line per call once it is over; on a terminal also while it runs. `waiting` are calls made before. */
export function toReporter(screen: Screen, waiting: CallTree = []): Reporter {
  let tree = waiting
  let isPaused = false
  const words = newWords()
  const view = () => ({ paint: screen.paint, columns: screen.terminal ? screen.terminal.columns - 1 : 120 })
  const tell = (calls: CallTree) => {
    for (const line of calls.flatMap((call) => callLines(call, view()))) screen.line(line)
  }
  const draw = () => {
    if (!screen.terminal) return
    const lines = tree.flatMap((call) => callLines(call, { ...view(), now: Date.now() }))
    screen.live(fitting(lines, screen.terminal.rows - 2))
  }
  const timer = screen.terminal && setInterval(() => !isPaused && tree.length > 0 && draw(), 100).unref()
  return {
    take(event) {
      isPaused = false
      if (event.parentCallId === undefined) screen.words(plainText(words.from(event)))
      const said = notice(event)
      if (said !== undefined)
        screen.line(`${'  '.repeat(depthOf(event))}${screen.paint('faint', `! ${said}`)}`)
      const next = withEvent(tree, event, Date.now())
      if (next === tree && said === undefined) return
      const { over, open } = split(next)
      tree = open
      tell(over)
      draw()
    },
    pause() {
      isPaused = true
      screen.live([])
    },
    end() {
      clearInterval(timer)
      screen.live([])
      tell(tree)
      tree = []
    },
  }
}

function depthOf({ parentCallId }: RunEvent): number {
  return parentCallId === undefined ? 0 : parentCallId.split('/').length
}

function fitting(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= Math.max(rows, 1)) return lines
  const most = Math.max(rows - 1, 0)
  return [...lines.slice(0, most), `… ${lines.length - most} more`]
}

/** Each event as a line of JSON. */
export function jsonReporter(write: (text: string) => void): Reporter {
  return {
    take: (event) => write(`${toJsonText(event)}\n`),
    pause() {},
    end() {},
  }
}

/** How calls are shown. */
interface CallView {
  readonly paint: Paint
  /** What a line may take. */
  readonly columns: number
  /** Milliseconds, for how long calls have run; absent where lines do not change. */
  readonly now?: number
}

/** A call and those within it, a line each. */
export function callLines(call: ShownCall, view: CallView, depth = 0): string[] {
  return [callLine(call, view, depth), ...call.calls.flatMap((inner) => callLines(inner, view, depth + 1))]
}

function callLine(call: ShownCall, { paint, columns, now }: CallView, depth: number): string {
  const indent = '  '.repeat(Math.min(depth, deepest))
  const end = endOf(call, now)
  const room = columns - indent.length - 2
  const name = oneLine(call.name, room - 10)
  const free = room - columnsOf(name) - 1
  // What is told of the end comes first; arguments take half at least.
  const told = oneLine(
    end,
    Math.max(Math.floor(free / 2), free - columnsOf(oneLine(call.arguments, free)) - 1),
  )
  const given = oneLine(call.arguments, free - columnsOf(told) - 1)
  const parts = [paint('strong', name), given, paint(toneOf(call), told)]
  return `${indent}${markOf(call, paint, now)} ${parts.filter((part) => part !== '').join(' ')}`
}

function endOf(call: ShownCall, now: number | undefined): string {
  const { state, ms = 0, content = '', artifacts = [], progress = '', since } = call
  if (state === 'waits') return 'waits'
  if (state === 'runs') {
    const time =
      now === undefined || since === undefined ? '' : duration(Math.floor((now - since) / 100) * 100)
    return [time, progress].filter((part) => part !== '').join(' ')
  }
  if (state !== 'ok') return `${state}: ${withoutSecrets(content.slice(0, 1000)).replace(/^Error: /, '')}`
  // What other agents answer took the time of their calls.
  const time = call.calls.length > 0 && ms === 0 ? '' : duration(ms)
  return artifacts.length === 0 ? time : `${time} -> ${artifacts.join(', ')}`.trim()
}

function markOf(call: ShownCall, paint: Paint, now: number | undefined): string {
  if (call.state === 'ok') return paint('good', '✔')
  if (isOver(call)) return paint('bad', '✖')
  if (call.state === 'waits' || now === undefined) return '?'
  return frames[Math.floor(now / 100) % frames.length] ?? ''
}

function toneOf({ state }: ShownCall): 'faint' | 'bad' {
  return state === 'ok' || state === 'runs' || state === 'waits' ? 'faint' : 'bad'
}

/** Further indents would leave no room on a narrow terminal. */
const deepest = 6

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** What is said of an event that is neither words nor a call; undefined for most. */
function notice(event: RunEvent): string | undefined {
  const text = textOf(event)
  return text === undefined ? undefined : oneLine(text, 200)
}

function textOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'retry-scheduled': {
      const whom = event.model === undefined ? '' : ` of ${event.model}`
      return `${event.code}: ${event.message} The answer is asked for anew${whom} in ${duration(event.delayMs)}.`
    }
    case 'repair-applied':
      return `arguments of ${event.name} mended: ${event.repairs.join(', ')}`
    case 'limit-reached':
      return `limit reached: ${event.limit}`
    case 'stuck-detected':
      return `the same calls again (${event.names.join(', ')}): ${stages[event.stage]}`
    case 'run-tainted':
      return `${event.by} brought words of strangers: calls that change things are asked about`
    case 'landing-failed':
      return `no last answer: ${event.code}: ${event.message}`
    case 'handed-off':
      return `${event.to} goes on`
    case 'context-trimmed':
      return `the model is shown ${event.after} of ${count(event.before, 'message')}`
    default:
      return undefined
  }
}

const stages = {
  tell: 'the model is told',
  withhold: 'they are withheld for a step',
  land: 'a last answer is asked for',
} as const

/** What the model says, piece by piece, or at once where it does not stream. */
function newWords(): { from(event: RunEvent): string } {
  let isStreamed = false
  return {
    from(event) {
      if (event.type === 'text-delta') {
        isStreamed = true
        return event.text
      }
      if (event.type === 'step-start' || event.type === 'retry-scheduled') isStreamed = false
      if (event.type !== 'message-added' || event.message.role !== 'assistant' || isStreamed) return ''
      const { content } = event.message
      if (typeof content === 'string') return content
      return (content ?? []).map((part) => (part.type === 'text' ? String(part.text) : '')).join('')
    },
  }
}
