import { signal } from '@preact/signals'
import { runs, tell } from '../api/state.js'
import { go, toAddress } from '../shell/route.js'

/** The first run of a comparison, until a second one is chosen. */
const marked = signal<string | undefined>(undefined)

export function isMarked(run: string): boolean {
  return marked.value === run
}

/** Marks a run. Once a second run is marked, the two are compared. */
export function markToCompare(run: string): void {
  const first = marked.value
  if (first === undefined || !runs.value.has(first)) {
    marked.value = run
    tell('Marked. Choose another run, and compare it.')
    return
  }
  marked.value = undefined
  if (first !== run) go(toAddress(['runs', 'compare'], { a: first, b: run }))
}

/** Returns the button's label. */
export function markWords(run: string): string {
  if (marked.value === undefined) return 'Compare'
  return marked.value === run ? 'Marked' : 'Compare with the marked one'
}
