/** The difference between a transcript and its text. */
export interface WordErrors {
  /** Inserted, deleted and substituted words: the minimum that explains the transcript. */
  readonly errors: number
  /** The number of spoken words. */
  readonly words: number
}

/** Compares words, ignoring case and punctuation; "mr" and "mister" are the same word. */
export function wordErrors(said: string, heard: string): WordErrors {
  const [from, to] = [toWords(said), toWords(heard)]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, word] of from.entries()) {
    const next = [index + 1]
    for (const [at, other] of to.entries()) {
      const taken = (row[at] ?? 0) + (word === other ? 0 : 1)
      next.push(Math.min(taken, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return { errors: row.at(-1) ?? 0, words: from.length }
}

/** Sums several comparisons, in percent of the spoken words. */
export function errorRate(comparisons: readonly WordErrors[]): number {
  const sum = (of: (one: WordErrors) => number) => comparisons.reduce((total, one) => total + of(one), 0)
  return Math.round((1000 * sum(({ errors }) => errors)) / sum(({ words }) => words)) / 10
}

function toWords(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9']+/g) ?? []
  return words.map((word) => (word === 'mr' ? 'mister' : word))
}
