interface ErrorCall {
  readonly line: number
  readonly text: string
  /** How many characters of the message are in the code. */
  readonly length: number
}

export function reportOf(diff: string): string[]
export function sampleOf(
  seed: number,
  counts: readonly [docstrings: number, errors: number, paragraphs: number],
): Record<'docstrings' | 'errors' | 'paragraphs', string[]>
export function errorCallsIn(file: string): ErrorCall[]
export function countsOf(page: string): Record<'words' | 'table' | 'you', number>
