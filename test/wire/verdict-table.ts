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

function toRow(title: string, verdicts: readonly Verdict[], area?: WireCase['area']): string {
  const counts = levels.map((level) => {
    const of = verdicts.filter(
      ({ wireCase }) => wireCase.level === level && (area === undefined || wireCase.area === area),
    )
    return `${of.filter(({ faults }) => faults.length === 0).length}/${of.length}`
  })
  return toLine([title, ...counts])
}

function toLine([title = '', ...cells]: readonly string[]): string {
  return title.padEnd(12) + cells.map((cell) => cell.padStart(10)).join('')
}

function toComplaint({ wireCase: { id, level, title }, faults }: Verdict): string {
  return [`\n${id} (${level}) ${title}`, ...faults.map((fault) => `    ${fault}`)].join('\n')
}
