import { CapstanError, type ErrorCode } from './errors.js'

/** The subject of the options, and its error. */
interface OptionsOwner {
  readonly of: string
  readonly code: ErrorCode
  readonly evidence?: Readonly<Record<string, unknown>>
}

/** Rejects options with unknown names. @throws CapstanError that names all options, and the closest one */
export function checkOptionNames(given: object, known: object, { of, code, evidence }: OptionsOwner): void {
  const names = Object.keys(known)
  const option = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (option === undefined) return
  const meant = suggest(option, names)
  const advice = meant === undefined ? '' : ` Did you mean "${meant}"?`
  const message = `${of} has no option "${option}". The options are: ${names.join(', ')}.${advice}`
  throw new CapstanError(code, message, { evidence: { ...evidence, option } })
}

/** Returns the name that `given` probably means: the closest one, or one that begins with it. */
export function suggest(given: string, names: readonly string[]): string | undefined {
  const [best, ...others] = names
    .map((name) => ({ name, edits: distance(given, name) }))
    .sort((one, other) => one.edits - other.edits)
  if (!best) return undefined
  if (best.edits <= Math.ceil(given.length / 3)) return best.name
  return given.length > 1 ? [best, ...others].find(({ name }) => name.startsWith(given))?.name : undefined
}

/** Returns the edit distance of two words: insertions, deletions and substitutions. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index++) {
      const changed = (row[index - 1] ?? 0) + (other[index - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
