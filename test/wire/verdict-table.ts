import type { Verdict } from './client-side.js'
import type { WireCase } from './wire-case.js'

const levels = ['must', 'should'] as const

/** Passed and all cases by area and level, and then each failing case with what was wrong. */
export function toVerdictTable(verdicts: readonly Verdict[]): string {
  const areas = [...new Set(verdicts.map(({ wireCase }) => wireCase.area))]
  const rows = [...areas.map((area) => toRow(area, verdicts, area)), toRow('total', verdicts)]
  const failed = verdicts.filter(({ faults }) => faults.length > 0)
  return [toLine(['', ...levels]), ...rows, ...failed.map(toComplaint)].join('\n')
}

/** Passed and all cases of several clients, side by side. */
export function toComparison(clients: readonly ClientVerdicts[]): string {
  const areas = [...new Set(clients.flatMap(({ verdicts }) => verdicts.map(({ wireCase }) => wireCase.area)))]
  const toLineOf = (title: string, area?: WireCase['area']) =>
    title.padEnd(12) +
    clients
      .map(({ verdicts }) =>
        toCounts(verdicts, area)
          .map((cell) => cell.padStart(10))
          .join(''),
      )
      .join(gap)
  return [
    ' '.repeat(12) + clients.map(({ name }) => name.padStart(20)).join(gap),
    ' '.repeat(12) + clients.map(() => levels.map((level) => level.padStart(10)).join('')).join(gap),
    ...areas.map((area) => toLineOf(area, area)),
    toLineOf('total'),
  ].join('\n')
}

export interface ClientVerdicts {
  readonly name: string
  readonly verdicts: readonly Verdict[]
}

const gap = '  |'

function toRow(title: string, verdicts: readonly Verdict[], area?: WireCase['area']): string {
  return toLine([title, ...toCounts(verdicts, area)])
}

function toCounts(verdicts: readonly Verdict[], area?: WireCase['area']): readonly string[] {
  return levels.map((level) => {
    const of = verdicts.filter(
      ({ wireCase }) => wireCase.level === level && (area === undefined || wireCase.area === area),
    )
    return `${of.filter(({ faults }) => faults.length === 0).length}/${of.length}`
  })
}

function toLine([title = '', ...cells]: readonly string[]): string {
  return title.padEnd(12) + cells.map((cell) => cell.padStart(10)).join('')
}

export function toComplaint({ wireCase: { id, level, title }, faults }: Verdict): string {
  return [`\n${id} (${level}) ${title}`, ...faults.map((fault) => `    ${fault}`)].join('\n')
}
