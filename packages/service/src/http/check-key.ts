import { createHash, timingSafeEqual } from 'node:crypto'
import { ServiceError } from './service-error.js'

/** Checks the header `Authorization: Bearer <key>`; 401 when it is missing or wrong. */
export function checkKey(authorization: string | undefined, apiKey: string): void {
  const [, given] = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '') ?? []
  if (given === undefined) {
    throw new ServiceError(
      401,
      'missing_api_key',
      'Send the key of this service as "Authorization: Bearer <key>".',
    )
  }
  if (!timingSafeEqual(digest(given), digest(apiKey))) {
    throw new ServiceError(
      401,
      'invalid_api_key',
      'This is not the key of this service: it was shown when it started.',
    )
  }
}

// Digests have one length, so that the comparison takes one time.
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
