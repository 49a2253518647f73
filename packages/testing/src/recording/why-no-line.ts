import { misfit } from '@capstan/core/internal'
import { lineSchema } from './line-schema.js'

/** Why a value is no line of a recording, in a few words: a file may come from anywhere. Undefined for one that is. */
export function whyNoLine(line: unknown): string | undefined {
  if (isDeeper(line, mostLevels)) return `it is nested deeper than ${mostLevels} levels`
  const found = misfit(line, lineSchema)
  return (
    found &&
    [found.path.join('/'), found.message]
      .filter((part) => part !== '')
      .join(' ')
      .slice(0, 120)
  )
}

/** What is nested deeper cannot be walked through. */
const mostLevels = 500

function isDeeper(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
