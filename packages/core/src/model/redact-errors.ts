import { CapstanError, isCapstanError } from '../errors.js'

/** Hides secrets in a text. */
interface Secrets {
  hide(text: string): string
}

/**
 * Runs work and removes secrets from its errors: servers often repeat a wrong key in their message. The abort reason of
 * `signal` belongs to the caller and is passed on unchanged.
 */
export function withoutSecrets<T>(
  secrets: Secrets,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return work().catch((error: unknown) => {
    if (signal?.aborted && error === signal.reason) throw error
    throw isCapstanError(error) ? redactError(error, secrets) : redactThrown(error, secrets)
  })
}

function redactError(error: CapstanError, secrets: Secrets): CapstanError {
  const { code, message, evidence, cause, stack } = error
  const redacted = new CapstanError(code, secrets.hide(message), {
    ...error,
    cause: cause && redactThrown(cause, secrets),
    evidence: redactValue(evidence, secrets) as CapstanError['evidence'],
  })
  if (stack !== undefined) redacted.stack = secrets.hide(stack)
  return redacted
}

function redactValue(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return secrets.hide(value)
  if (Array.isArray(value)) return value.map((one) => redactValue(one, secrets))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    secrets.hide(key),
    redactValue(inner, secrets),
  ])
  return Object.fromEntries(entries)
}

/** Returns the thrown value, or a redacted plain error if it may contain a secret. */
function redactThrown(thrown: unknown, secrets: Secrets): unknown {
  if (isSafeToShow(thrown, (text) => secrets.hide(text) === text)) return thrown
  const redactedField = (field: string) => {
    const value = stringField(thrown, field)
    return value === undefined ? undefined : secrets.hide(value.slice(0, maxLength))
  }
  const message =
    typeof thrown === 'string' ? secrets.hide(thrown.slice(0, maxLength)) : redactedField('message')
  const [name, code] = [redactedField('name'), redactedField('code')]
  const copy = new Error(message ?? `a ${typeof thrown} was thrown`)
  if (name) Object.defineProperty(copy, 'name', { value: name, configurable: true, writable: true })
  return code ? Object.assign(copy, { code }) : copy
}

const maxLength = 2000

function stringField(thrown: unknown, field: string): string | undefined {
  try {
    const value = (Object(thrown) as Record<string, unknown>)[field]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a thrown value is free of secrets when printed with all its contents. Only primitives and plain errors can be
 * checked: other classes may print more than is visible.
 */
function isSafeToShow(value: unknown, isSafe: (text: string) => boolean, depth = 0): boolean {
  if (typeof value === 'string') return isSafe(value)
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'function' && typeof value !== 'symbol'
  if (depth > maxDepth) return false
  const isFine = (one: unknown) => isSafeToShow(one, isSafe, depth + 1)
  try {
    return safePrototypes.has(Object.getPrototypeOf(value)) && contentsOf(value as Error).every(isFine)
  } catch {
    return false
  }
}

const maxDepth = 10

const safePrototypes: ReadonlySet<unknown> = new Set(
  [
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    ReferenceError,
    EvalError,
    URIError,
    AggregateError,
    DOMException,
  ].map((known) => known.prototype),
)

/** Returns keys, values and inherited error fields. A computed property counts as its function. */
function contentsOf(error: Error): readonly unknown[] {
  const { name, message, stack } = error
  const own = Reflect.ownKeys(error).filter((key) => key !== 'stack')
  return [name, message, stack, ...own, ...own.flatMap((key) => valuesOf(error, key))]
}

function valuesOf(error: Error, key: string | symbol): readonly unknown[] {
  const { value, get } = Reflect.getOwnPropertyDescriptor(error, key) ?? {}
  return key === 'errors' && Array.isArray(value) ? [...value] : [value, get]
}
