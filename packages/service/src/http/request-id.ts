import { randomUUID } from 'node:crypto'

/** The client's own `x-request-id` when it is short and plain, else a new one. */
export function toRequestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given
  return `req_${randomUUID().replaceAll('-', '')}`
}
