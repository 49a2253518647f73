/** Notifies the open pages of changes. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()

  /** Adds a listener. Returns the function that removes it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reports a change in the studio: a new version, or an error while loading the file. */
  studio(): void {
    for (const { studio } of this.#listeners) studio()
  }

  /** Reports that runs were added, changed or removed. */
  runs(): void {
    for (const { runs } of this.#listeners) runs()
  }

  /** Reports that a run's entries were written. */
  entries(run: string): void {
    for (const { entries } of this.#listeners) entries(run)
  }
}

export interface ChangeListener {
  studio(): void
  runs(): void
  entries(run: string): void
}
