import { createHash } from 'node:crypto'

/** Tells plain values apart: the same for whoever says the same. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
