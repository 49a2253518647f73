import { safeListener } from '@capstan/core/internal'

/** Calls listeners when a run changes. Use it in stores whose runs are changed only by this process. */
export class Watchers {
  readonly #byRun = new Map<string, Set<() => void>>()

  /** Adds a listener for a run's changes. Returns a function that removes it. */
  add(runId: string, onChange: () => void): () => void {
    const notify = safeListener(onChange)
    // Create a separate function for each call. Otherwise, removing one watcher would remove another with the same
    // `onChange`.
    const watcher = () => notify(undefined)
    const watchers = this.#byRun.get(runId) ?? new Set()
    this.#byRun.set(runId, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#byRun.get(runId) === watchers) this.#byRun.delete(runId)
    }
  }

  notify(runId: string): void {
    for (const watcher of [...(this.#byRun.get(runId) ?? [])]) watcher()
  }
}
