import type { ProgramEnd, ProgramError } from './engine/program.js'

/** A program's call that has ended. */
export interface ReportedCall {
  readonly name: string
  readonly status: string
}

/** Text for the model: how a program ended. */
export function reportOf(
  source: string,
  { value, error, console }: ProgramEnd,
  calls: readonly ReportedCall[],
): string {
  const failed = calls.filter(({ status }) => status !== 'ok')
  const parts = error
    ? [`Error: ${describeError(source, error)}`, ranBefore(calls)]
    : [
        value ?? (calls.length + console.length > 0 ? 'The program returned nothing.' : didNothing),
        failed.length > 0 ? `Calls that failed: ${counted(failed)}.` : '',
      ]
  if (console.length > 0) parts.splice(1, 0, `Console:\n${console.join('\n')}`)
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Text for the model if the program probably only defines a function, or does not await it. */
const didNothing =
  'The program did nothing: it called no tool, wrote nothing and returned nothing. Write the body of an async function, with `return`.'

/** Returns the error with its position and the lines around it, as text. */
function describeError(source: string, { name, message, line, column }: ProgramError): string {
  const isPlain = name === 'Error' || name === 'ToolError'
  const what = isPlain || message === '' ? message || name : `${name}: ${message}`
  if (line === undefined) return what
  const lines = source.split('\n')
  const first = Math.max(1, line - 1)
  const shown = lines.slice(first - 1, line + 1).map((text, at) => {
    const number = first + at
    return `${number === line ? '>' : ' '} ${number} | ${text.length > 200 ? `${text.slice(0, 200)}...` : text}`
  })
  return `${what} (line ${line}, column ${column})\n${shown.join('\n')}`
}

/** Text for the model: the calls that ran before the program failed. */
function ranBefore(calls: readonly ReportedCall[]): string {
  return calls.length === 0 ? 'No call had run.' : `Calls that had run: ${counted(calls)}.`
}

/** Counts calls by name and status, in the order of their first occurrence: `add (3 ok), send (1 denied)`. */
function counted(calls: readonly ReportedCall[]): string {
  const counts = new Map<string, Map<string, number>>()
  for (const { name, status } of calls) {
    const ofName = counts.get(name) ?? new Map<string, number>()
    counts.set(name, ofName)
    ofName.set(status, (ofName.get(status) ?? 0) + 1)
  }
  return [...counts]
    .map(([name, by]) => `${name} (${[...by].map(([status, count]) => `${count} ${status}`).join(', ')})`)
    .join(', ')
}
