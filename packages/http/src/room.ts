/** What somebody keeps. */
export interface Kept {
  readonly owner: string
}

/**
 * Keeps what there is room for. The oldest give way to newer ones: each owner's to that owner's, so that nobody drives
 * out what is another's before there is no room at all.
 */
export class Room<Thing extends Kept> {
  /** The oldest first. */
  readonly #bytes = new Map<Thing, number>()
  readonly #ofOwners = new Map<string, number>()
  readonly #mostBytes: number
  readonly #leave: (thing: Thing) => void
  #total = 0

  /** `leave` is told of each thing that is no longer kept. */
  constructor(mostBytes: number, leave: (thing: Thing) => void) {
    this.#mostBytes = mostBytes
    this.#leave = leave
  }

  /** The newest stays, however large it is. */
  keep(thing: Thing, bytes: number): void {
    const { owner } = thing
    this.drop(thing)
    this.#bytes.set(thing, bytes + usualBytes)
    this.#count(owner, bytes + usualBytes)
    const ownBytes = () => this.#ofOwners.get(owner) ?? 0
    for (const one of this.#before(thing, () => ownBytes() > this.#mostBytes / 8))
      if (one.owner === owner) this.drop(one)
    for (const one of this.#before(thing, () => this.#total > this.#mostBytes)) this.drop(one)
  }

  /** What is older than a thing, as long as there is too little room. */
  *#before(thing: Thing, isFull: () => boolean): Generator<Thing> {
    for (const one of this.#bytes.keys()) {
      if (one === thing || !isFull()) return
      yield one
    }
  }

  drop(thing: Thing): void {
    const bytes = this.#bytes.get(thing)
    if (bytes === undefined) return
    this.#bytes.delete(thing)
    this.#count(thing.owner, -bytes)
    this.#leave(thing)
  }

  clear(): void {
    for (const thing of this.#bytes.keys()) this.drop(thing)
  }

  #count(owner: string, bytes: number): void {
    this.#total += bytes
    const its = (this.#ofOwners.get(owner) ?? 0) + bytes
    if (its > 0) this.#ofOwners.set(owner, its)
    else this.#ofOwners.delete(owner)
  }
}

/** What is small takes room as well. */
const usualBytes = 1024

/** The length of a value as JSON. A value that JSON cannot hold counts as 8 MiB, so that it is not kept for free. */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return 8 * 2 ** 20
  }
}
