import { safeListener } from '@capstan/core/internal'

/** Listeners of runs that only this process changes. */
export class Watchers {
  readonly #byRun = new Map<string, Set<() => void>>()

  /** Adds a listener and returns a function that removes it. */
  add(runId: string, onChange: () => void): () => void {
    const notify = safeListener(onChange)
    // Each call has its own function, so that ending one does not end another with the same function.
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
