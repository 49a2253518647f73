import type { CallDraft } from './call-draft.js'

/** Arguments, and the name of the call that they may belong to. */
export interface StrayArguments {
  readonly name: string
  readonly text: string
}

/**
 * Arguments of a call without a name, or of one in the same place, that came after a call of nothing: some servers
 * make up an id with each piece, and without its arguments that call must not run.
 */
export function findStray(drafts: readonly CallDraft[]): StrayArguments | undefined {
  let first: CallDraft | undefined
  const byPlace = new Map<string, CallDraft>()
  for (const draft of drafts) {
    const { name, index, text, isBlank } = draft
    const isNamed = name.trim() !== ''
    const place = `${index} ${name}`
    const owner = isNamed ? byPlace.get(place) : first
    if (owner && !isBlank) return { name: owner.name, text }
    if (isNamed && isBlank) first ??= draft
    if (isNamed && index !== '' && text.trim() === '') byPlace.set(place, draft)
  }
  return undefined
}
