import { CapstanError } from '../words/error.js'
import type { KeyValueStorage } from './key-value-storage.js'

/** Where keys lie, and whose they are. */
export interface ClaimedPlace {
  readonly storage: KeyValueStorage
  readonly id: string
  /** What the keys of the session begin with. */
  readonly base: string
}

/**
 * Does work on a session's keys while nobody else does. A storage has no lock: each writer puts up a claim and then
 * looks for others. Of two that overlap the later one sees the other's claim, or what the other wrote.
 * @throws CapstanError `conflict` when others keep coming; `unsupported` when the storage keeps no claim
 */
export async function withClaim(
  { storage, id, base }: ClaimedPlace,
  work: (keys: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let left = tries; left > 0; left--) {
    const claim = `${base}claim-${Date.now()}-${crypto.randomUUID()}`
    await storage.setItem(claim, 'claim')
    try {
      const keys = await storage.getKeys(base)
      if (!keys.includes(claim)) throw notKept(claim)
      const others = keys.filter((key) => key !== claim && claimed.test(key))
      if (!others.some(isLive)) {
        for (const key of others) await storage.removeItem(key)
        return await work(keys)
      }
    } finally {
      await storage.removeItem(claim)
    }
    // At random, so that they do not meet again.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
  }
  const message = `Session "${id}" is being written by others. Nothing was changed. Try again.`
  throw new CapstanError('conflict', message, { evidence: { id }, retryable: true })
}

const tries = 8

const claimed = /:claim-(\d+)-[0-9a-f-]+$/

/** A writer that died leaves its claim behind. */
function isLive(claim: string): boolean {
  return Date.now() - Number(claimed.exec(claim)?.[1]) < claimMs
}

const claimMs = 30_000

function notKept(key: string): CapstanError {
  const message = `The storage does not list the key "${key}", which was just written. Sessions need a storage that can be written to and lists a new key at once.`
  return new CapstanError('unsupported', message, { evidence: { key } })
}
