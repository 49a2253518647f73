import type { RunEvent } from '@capstan/core'

type Hear = (event: RunEvent) => void

/** What happens in runs of an agent, told to who listens in the process that works on them. */
export class LiveEvents {
  readonly #hearers = new Map<string, Set<Hear>>()
  #seq = 0

  /** Whether somebody listens to a run. */
  isHeard(runId: string): boolean {
    return this.#hearers.has(runId)
  }

  /** Hears a run, from now on, until it is left. */
  hear(runId: string, hear: Hear): () => void {
    const hearers = this.#hearers.get(runId) ?? new Set()
    this.#hearers.set(runId, hearers.add(hear))
    return () => {
      hearers.delete(hear)
      if (hearers.size === 0) this.#hearers.delete(runId)
    }
  }

  /** Tells what happens in a run, or in one within it. */
  tell(runId: string, event: Omit<RunEvent, 'seq'>): void {
    const stamped = { ...event, seq: this.#seq++ } as RunEvent
    for (const hear of this.#hearers.get(runId) ?? []) hear(stamped)
  }
}
