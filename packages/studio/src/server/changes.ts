/** Tells the open pages that something is different. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()

  /** Returns a function that removes the listener. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Something about the studio: a version, an error of loading. */
  studio(): void {
    for (const { studio } of this.#listeners) studio()
  }

  /** Runs were added, changed or removed. */
  runs(): void {
    for (const { runs } of this.#listeners) runs()
  }

  /** Entries of a run were written. */
  entries(run: string): void {
    for (const { entries } of this.#listeners) entries(run)
  }
}

export interface ChangeListener {
  studio(): void
  runs(): void
  entries(run: string): void
}
