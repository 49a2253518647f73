import type { SpokenWord } from './spoken-word.js'

/** Words said in one breath. */
export interface Segment {
  readonly text: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
  /** The mean of its words', from 0 to 1. */
  readonly confidence: number
  readonly words: readonly SpokenWord[]
}

const pause = 0.4
const longest = 8

/** Words in the stretches between pauses; a stretch of more than 8 s is divided, for it is to be read at once. */
export function toSegments(words: readonly SpokenWord[]): Segment[] {
  const groups: SpokenWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group && continues(group, word)) group.push(word)
    else groups.push([word])
  }
  return groups.map(toSegment)
}

function continues(group: readonly SpokenWord[], { start, end }: SpokenWord): boolean {
  const [first, last] = [group[0], group.at(-1)]
  return first !== undefined && last !== undefined && start - last.end < pause && end - first.start <= longest
}

function toSegment(words: readonly SpokenWord[]): Segment {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0)
  return {
    text: words.map(({ word }) => word).join(' '),
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    confidence: Math.round((sum / words.length) * 1000) / 1000,
    words,
  }
}
