import type { TextVerdict } from './run-text-case.js'

/** Passed and all runs by family, for replies that are calls and for texts; then each failing case with its faults. */
export function toTextTable(verdicts: readonly TextVerdict[]): string {
  const isCall = ({ textCase }: TextVerdict) => textCase.calls.length > 0
  const failed = verdicts.filter(({ faults }) => faults.length > 0)
  return [
    toLine(['calls as text', 'run', 'report']),
    ...toRows(verdicts.filter(isCall)),
    '',
    toLine(['texts', 'run', 'report']),
    ...toRows(verdicts.filter((one) => !isCall(one))),
    ...failed.map(toComplaint),
  ].join('\n')
}

function toRows(verdicts: readonly TextVerdict[]): readonly string[] {
  const families = [...new Set(verdicts.map(({ textCase }) => textCase.family))]
  const rowOf = (title: string, some: readonly TextVerdict[]) =>
    toLine([
      title,
      ...(['run', 'report'] as const).map((mode) => count(some.filter((one) => one.mode === mode))),
    ])
  return [
    ...families.map((family) =>
      rowOf(
        family,
        verdicts.filter(({ textCase }) => textCase.family === family),
      ),
    ),
    rowOf('total', verdicts),
  ]
}

function count(verdicts: readonly TextVerdict[]): string {
  return `${verdicts.filter(({ faults }) => faults.length === 0).length}/${verdicts.length}`
}

function toLine([title = '', ...cells]: readonly string[]): string {
  return title.padEnd(30) + cells.map((cell) => cell.padStart(10)).join('')
}

function toComplaint({ textCase: { id }, mode, streamed, faults }: TextVerdict): string {
  const how = `${mode}, ${streamed ? 'streamed' : 'not streamed'}`
  return [`\n${id} (${how})`, ...faults.map((fault) => `    ${fault}`)].join('\n')
}
