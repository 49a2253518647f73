import { CapstanError, isCapstanError } from '../words/error.js'
import { isTellable } from './is-tellable.js'
import type { Secrets } from './secrets.js'

/** Runs work whose errors may quote what was sent: servers like to repeat a wrong key in their message. */
export async function withoutSecrets<T>(secrets: Secrets, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isCapstanError(error) ? withoutAny(error, secrets) : error
  }
}

/** The same error where nothing needs hiding; a cause that says a secret, or that may, is left out. */
function withoutAny(error: CapstanError, secrets: Secrets): CapstanError {
  const { code, message, evidence, cause, retryable, retryAfterMs, status } = error
  const shown = hideIn({ message, evidence }, secrets) as typeof error
  const isCauseFine = isTellable(cause, (text) => secrets.hide(text) === text)
  if (isCauseFine && JSON.stringify(shown) === JSON.stringify({ message, evidence })) return error
  return new CapstanError(code, shown.message, {
    retryable,
    ...(isCauseFine ? { cause } : {}),
    ...(shown.evidence ? { evidence: shown.evidence } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  })
}

function hideIn(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return secrets.hide(value)
  if (Array.isArray(value)) return value.map((one) => hideIn(one, secrets))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [secrets.hide(key), hideIn(inner, secrets)])
  return Object.fromEntries(entries)
}
