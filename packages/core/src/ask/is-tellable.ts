/**
 * Whether what was thrown says nothing but what may be told: an error is printed with all that is in it. Only
 * texts, numbers and plain errors can be looked through: a class may show more of itself than can be seen.
 */
export function isTellable(value: unknown, isSafe: (text: string) => boolean, depth = 0): boolean {
  if (typeof value === 'string') return isSafe(value)
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'function' && typeof value !== 'symbol'
  if (depth > deepest) return false
  const isFine = (one: unknown) => isTellable(one, isSafe, depth + 1)
  try {
    return plain.has(Object.getPrototypeOf(value)) && contentsOf(value as Error).every(isFine)
  } catch {
    return false
  }
}

const deepest = 10

const plain: ReadonlySet<unknown> = new Set(
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

/** Keys and values, and what errors have without owning it. A computed property is a function. */
function contentsOf(error: Error): readonly unknown[] {
  const { name, message, stack } = error
  const own = Reflect.ownKeys(error).filter((key) => key !== 'stack')
  return [name, message, stack, ...own, ...own.flatMap((key) => valuesOf(error, key))]
}

function valuesOf(error: Error, key: string | symbol): readonly unknown[] {
  const { value, get } = Reflect.getOwnPropertyDescriptor(error, key) ?? {}
  return key === 'errors' && Array.isArray(value) ? [...value] : [value, get]
}
