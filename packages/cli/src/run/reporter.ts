import type { RunEvent } from '@capstan/core'
import { plainText } from '../say/plain-text.js'
import type { Screen } from '../screen/screen.js'
import { callLines } from './call-lines.js'
import { type CallTree, split, withEvent } from './call-tree.js'
import { newWords } from './new-words.js'
import { notice } from './notice.js'

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
