import { columnsOf } from '../say/columns-of.js'
import { duration } from '../say/figures.js'
import { oneLine } from '../say/one-line.js'
import { withoutSecrets } from '../say/without-secrets.js'
import type { Paint } from '../screen/colour.js'
import { isOver, type ShownCall } from './call-tree.js'

/** How calls are shown. */
export interface CallView {
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
