import { toConcept } from './words.js'

/** The kinds of artifact that the words of a tool or a clause can tell apart. */
export type ArtifactKind = 'image' | 'audio'

/** The kind of artifact some concepts speak of. */
export function kindAmong(concepts: Iterable<string>): ArtifactKind | undefined {
  for (const concept of concepts) {
    if (imageConcepts.has(concept)) return 'image'
    if (audioConcepts.has(concept)) return 'audio'
  }
  return undefined
}

const imageConcepts = new Set(['image', 'mask'].map(toConcept))
const audioConcepts = new Set(['audio', 'speak'].map(toConcept))
