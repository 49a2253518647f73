import { CapstanError } from '@capstan/core'

/** For each option the advice to a wrong value, and the check of one that is given. */
export type OptionKinds = Readonly<
  Record<string, readonly [use: string, isValid: (value: unknown) => boolean]>
>

/**
 * Rejects an option with an unknown name or a wrong value. `undefined` leaves out any option but the required one.
 * @throws CapstanError `invalid_request` that names the option, and the one that was probably meant
 */
export function checkOptions(of: string, given: unknown, kinds: OptionKinds, required?: string): void {
  const names = Object.keys(kinds)
  const list = `Options: ${names.join(', ')}.`
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new CapstanError('invalid_request', `${of} takes an options object. ${list}`)
  const options = required === undefined ? given : { [required]: undefined, ...given }
  for (const [option, value] of Object.entries(options)) {
    const evidence = { option }
    const kind = Object.hasOwn(kinds, option) ? kinds[option] : undefined
    if (!kind) {
      const meant = nearest(option, names)
      const advice = meant === undefined ? list : `Did you mean "${meant}"? ${list}`
      throw new CapstanError('invalid_request', `${of} has no option "${option}". ${advice}`, { evidence })
    }
    const [use, isValid] = kind
    if (isValid(value) || (value === undefined && option !== required)) continue
    const problem = value === undefined ? 'is missing' : 'has a wrong value'
    throw new CapstanError('invalid_request', `${of}: ${option} ${problem}. Use ${use}.`, { evidence })
  }
}

/** Returns the name that is written most like another: at most a third of its letters differ. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, edits: distance(given.slice(0, 50), name) }))
  const [best] = ranked.toSorted((one, other) => one.edits - other.edits)
  return best && best.edits <= Math.ceil(given.length / 3) ? best.name : undefined
}

/** Returns the number of letters to insert, delete or replace, without regard to case. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const letter of one.toLowerCase()) {
    const [first = 0] = row
    const next = [first + 1]
    for (const [at, wanted] of [...other.toLowerCase()].entries()) {
      const replaced = (row[at] ?? 0) + (wanted === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
