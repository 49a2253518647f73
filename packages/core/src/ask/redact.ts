import { CapstanError, isCapstanError } from '../words/error.js'

/** Runs work whose errors may quote what was sent: servers like to repeat a wrong key in their message. */
export async function withoutSecrets<T>(secrets: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const hidden = secrets.filter((secret) => secret.length >= 6)
    if (!isCapstanError(error) || !hidden.some((secret) => says(error, secret))) throw error
    throw redacted(error, hidden)
  }
}

function says(error: CapstanError, secret: string): boolean {
  return `${error.message}${JSON.stringify(error.evidence ?? {})}`.includes(secret)
}

/** The cause is left out: it is what said the secret. */
function redacted(error: CapstanError, secrets: readonly string[]): CapstanError {
  const hide = (text: string) => secrets.reduce((kept, secret) => kept.replaceAll(secret, '[redacted]'), text)
  const { code, message, evidence, retryable, retryAfterMs, status } = error
  return new CapstanError(code, hide(message), {
    retryable,
    ...(evidence ? { evidence: JSON.parse(hide(JSON.stringify(evidence))) } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  })
}
