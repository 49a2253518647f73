import { isRecord } from '../words/record.js'
import { type Loose, toEntries, toText } from './loose.js'

/** The choices of an answer or a chunk; undefined when they are in no form that can be read. */
export function toChoices({ choices }: Loose): readonly Loose[] | undefined {
  const entries = toEntries(choices).filter((entry) => entry !== null)
  return entries.every(isRecord) ? entries : undefined
}

/** The choice that counts: the one of index 0, whatever its place, or the first without an index. */
export function pickChoice(body: Loose): Loose | undefined {
  const choices = toChoices(body) ?? []
  return (
    choices.find(({ index }) => toText(index) === '0') ?? choices.find(({ index }) => toText(index) === '')
  )
}
