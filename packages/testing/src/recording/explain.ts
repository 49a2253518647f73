import { textOf, visibleText } from '@capstan/core/internal'
import { inLine } from '../in-line.js'
import { explainLine } from './explain-line.js'
import type { Beginning } from './lines.js'
import { type RunTold, recordingOf } from './recording.js'

/**
 * What happened in the runs of a recording, step by step, and why: in words that can be shown to somebody. Long texts
 * are shortened, secrets were never in it, and nothing in it commands a terminal. @throws CapstanError for what is no recording
 */
export function explain(file: string): string {
  return recordingOf(file).map(explainRun).join('\n\n')
}

function explainRun(run: RunTold): string {
  const lines = run.lines.flatMap((line) => {
    const indent = '  '.repeat(depthOf(line.at))
    return explainLine(line, run).map((text) => indent + text)
  })
  const unfinished = run.begin && !run.end ? ['  the recording ends before the run does'] : []
  return [...headOf(run), ...lines, ...unfinished].map(visibleText).join('\n')
}

function headOf({ number, begin }: RunTold): readonly string[] {
  if (!begin) return [`Run ${number}, of which only the requests are recorded`]
  const limits = Object.entries(begin.limits).map(([name, bound]) => `${name} ${inLine(bound)}`)
  const bounds = limits.length > 0 ? `, limits: ${limits.join(', ')}` : ''
  return [`Run ${number} of the agent "${begin.agent}"${bounds}`, `  ${inputOf(begin)}`]
}

function inputOf({ messages = [], state }: Beginning): string {
  if (state) return `goes on with a state of ${state.turn} steps and ${state.messages.length} messages`
  const last = messages.at(-1)
  const said = last?.role === 'user' ? inLine(textOf(last.content)) : `a ${last?.role} message`
  return messages.length > 1 ? `is given ${messages.length} messages, the last: ${said}` : `is asked: ${said}`
}

/** A step, what happens in it, and what agents within it do. */
function depthOf(at: string): number {
  const parts = at.split('/')
  const isStep = /^(?:model|landing)$/.test(parts[1] ?? '') && parts.length === 2
  return parts.length < 2 || isStep ? 1 : parts.length - (parts.at(-1) === 'model' ? 1 : 0)
}
