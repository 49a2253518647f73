import type { Artifact } from '@capstan/core'
import { callerKey } from './caller-key.js'

/** Which artifacts each caller's calls stored, as far as this process knows. The oldest are forgotten first. */
export class Readable {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  /** What is given to a caller who cannot be told from others is nobody's. */
  add(caller: unknown, artifacts: readonly Pick<Artifact, 'id'>[]): void {
    for (const { id } of artifacts) {
      const key = keyOf(caller, id)
      if (key === undefined) return
      this.#known.delete(key)
      this.#known.add(key)
    }
    for (const key of this.#known) {
      if (this.#known.size <= this.#most) break
      this.#known.delete(key)
    }
  }

  has(caller: unknown, id: string): boolean {
    return this.#known.has(keyOf(caller, id) ?? '')
  }
}

function keyOf(caller: unknown, id: string): string | undefined {
  const owner = callerKey(caller)
  return owner === undefined ? undefined : JSON.stringify([owner, id])
}
