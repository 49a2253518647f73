import type { Artifact } from '@capstan/core'
import { ownedKey } from './owned-key.js'

/** Which artifacts each user has to do with, as far as this process knows. The oldest are forgotten first. */
export class ReadableArtifacts {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  add(owner: string, artifacts: readonly Artifact[]): void {
    for (const { id } of artifacts) {
      const key = ownedKey(owner, id)
      this.#known.delete(key)
      this.#known.add(key)
    }
    for (const key of this.#known) {
      if (this.#known.size <= this.#most) break
      this.#known.delete(key)
    }
  }

  has(owner: string, id: string): boolean {
    return this.#known.has(ownedKey(owner, id))
  }
}
