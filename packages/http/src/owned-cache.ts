/** What somebody keeps. */
interface Kept {
  readonly owner: string
}

/**
 * Keeps what there is room for. The oldest give way to newer ones: each owner's to that owner's, so that nobody drives
 * out what is another's before there is no room at all.
 */
export class Room<Thing extends Kept> {
  /** The oldest first. */
  readonly #bytes = new Map<Thing, number>()
  readonly #shares = new Map<string, Share<Thing>>()
  readonly #mostBytes: number
  readonly #leave: (thing: Thing) => void
  #total = 0

  /** `leave` is told of each thing that is no longer kept. */
  constructor(mostBytes: number, leave: (thing: Thing) => void) {
    this.#mostBytes = mostBytes
    this.#leave = leave
  }

  /** The newest stays, however large it is. */
  keep(thing: Thing, given: number): void {
    this.drop(thing)
    const bytes = given + usualBytes
    const share = this.#shares.get(thing.owner) ?? { bytes: 0, things: new Set() }
    this.#shares.set(thing.owner, share)
    share.things.add(thing)
    share.bytes += bytes
    this.#bytes.set(thing, bytes)
    this.#total += bytes
    for (const one of share.things) {
      if (one === thing || share.bytes <= this.#mostBytes / 8) break
      this.drop(one)
    }
    for (const one of this.#bytes.keys()) {
      if (one === thing || this.#total <= this.#mostBytes) break
      this.drop(one)
    }
  }

  drop(thing: Thing): void {
    const { owner } = thing
    const bytes = this.#bytes.get(thing)
    const share = this.#shares.get(owner)
    if (bytes === undefined || !share) return
    this.#bytes.delete(thing)
    this.#total -= bytes
    share.things.delete(thing)
    share.bytes -= bytes
    if (share.things.size === 0) this.#shares.delete(owner)
    this.#leave(thing)
  }

  clear(): void {
    for (const thing of this.#bytes.keys()) this.drop(thing)
  }
}

/** What is kept of one owner. */
interface Share<Thing> {
  bytes: number
  /** The oldest first. */
  readonly things: Set<Thing>
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

/** What is somebody's, under one key: as JSON, so that no two pairs make one. */
export function ownedKey(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}
