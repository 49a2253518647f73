import { signal } from '@preact/signals'
import { runs, tell } from '../api/state.js'
import { go, toAddress } from '../shell/route.js'

/** The run that waits for a second one. */
const marked = signal<string | undefined>(undefined)

export function isMarked(run: string): boolean {
  return marked.value === run
}

/** Marks a run; the second one is compared with the first. */
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

/** The words of the button. */
export function markWords(run: string): string {
  if (marked.value === undefined) return 'Compare'
  return marked.value === run ? 'Marked' : 'Compare with the marked one'
}
