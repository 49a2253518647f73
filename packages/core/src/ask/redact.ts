import { CapstanError, isCapstanError } from '../words/error.js'

/** Runs work whose errors may quote what was sent: servers like to repeat a wrong key in their message. */
export async function withoutSecrets<T>(secrets: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isCapstanError(error) ? withoutAny(error, secrets) : error
  }
}

/** What headers hold that nobody should read: the values of those that authorise, and the tokens in them. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  const telling = Object.entries(headers).filter(
    ([name]) => /auth|key|token|secret|cookie/i.test(name) && name !== 'idempotency-key',
  )
  return telling.flatMap(([, value]) => [value, ...value.split(/[\s;=]+/).filter((part) => part.length >= 8)])
}

/** The same error where nothing needs hiding; else one without its cause, which is what said the secret. */
function withoutAny(error: CapstanError, secrets: readonly string[]): CapstanError {
  const hide = (text: string) => secrets.reduce(hideOne, text)
  const { code, message, evidence, retryable, retryAfterMs, status } = error
  const told = JSON.stringify([message, evidence])
  const shown = hideIn([message, evidence], hide)
  if (JSON.stringify(shown) === told) return error
  const [safeMessage, safeEvidence] = shown as [string, Record<string, unknown> | undefined]
  return new CapstanError(code, safeMessage, {
    retryable,
    ...(safeEvidence ? { evidence: safeEvidence } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  })
}

/** Excerpts are cut anywhere: the beginning of a secret is hidden as well, from twelve characters on. */
function hideOne(text: string, secret: string): string {
  if (secret.length < 6) return text
  let shown = text.replaceAll(secret, '[redacted]')
  for (let length = secret.length - 1; length >= 12; length--) {
    shown = shown.replaceAll(secret.slice(0, length), '[redacted]')
  }
  return shown
}

function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key), hideIn(inner, hide)]))
}
