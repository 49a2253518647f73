import type { Heard } from './recognizer.js'

/** A word as it was said, with its place in the sound. */
export interface SpokenWord {
  readonly word: string
  /** Seconds from the start of the sound. */
  readonly start: number
  readonly end: number
  /** How sure the recogniser is of it, from 0 to 1. */
  readonly confidence: number
}

/** The words of what was heard, without silence and noise; `offset` is where the hearing began, in seconds. */
export function toSpokenWords(heard: readonly Heard[], offset = 0): SpokenWord[] {
  return heard
    .filter(({ word }) => !/^[<[+]/.test(word))
    .map(({ word, from, to, confidence }) => ({
      // A dictionary numbers the ways in which a word can be said.
      word: word.replace(/\(\d+\)$/, ''),
      start: toSeconds(offset + from / 100),
      end: toSeconds(offset + (to + 1) / 100),
      confidence: Math.round(confidence * 1000) / 1000,
    }))
}

function toSeconds(time: number): number {
  return Math.round(time * 100) / 100
}
