import { signal } from '@preact/signals'
import { runs, tell } from '../api/state.js'
import { go, toAddress } from '../shell/route.js'

/**
 * The run that the user has marked for a comparison. Undefined if there is none, or after a second run has been chosen.
 */
const marked = signal<string | undefined>(undefined)

export function isMarked(run: string): boolean {
  return marked.value === run
}

/** Marks a run for a comparison. If another run is already marked, opens the comparison. */
export function markToCompare(run: string): void {
  const first = marked.value
  if (first === undefined || !runs.value.has(first)) {
    marked.value = run
    tell('Marked. Now choose the run to compare it with.')
    return
  }
  marked.value = undefined
  if (first !== run) go(toAddress(['runs', 'compare'], { a: first, b: run }))
}

/** Returns the label of a run's comparison button. */
export function markWords(run: string): string {
  if (marked.value === undefined) return 'Compare'
  return marked.value === run ? 'Marked' : 'Compare with the marked run'
}
