/**
 * Whether a value says nothing but what may be told, however deep: an error prints its causes with all that is in
 * them. What cannot be looked through to its end is not tellable.
 */
export function isTellable(value: unknown, isSafe: (text: string) => boolean): boolean {
  const seen = new Set<object>()
  const open = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one === 'function') return false
    if (typeof one === 'symbol' ? !isSafe(String(one)) : typeof one === 'string' && !isSafe(one)) return false
    if (typeof one !== 'object' || one === null || seen.has(one)) continue
    seen.add(one)
    const inside = contentsOf(one)
    if (!inside || seen.size > most) return false
    for (const part of inside) open.push(part)
  }
  return true
}

const most = 10_000

/** All that is in an object; undefined when it may hold more than can be seen. */
function contentsOf(value: object): readonly unknown[] | undefined {
  try {
    const own = ownContents(value)
    if (value instanceof Headers) return [...value].flat()
    if (value instanceof Map) return own && [...own, ...[...value].flat()]
    if (value instanceof Set) return own && [...own, ...value]
    if (value instanceof Error) return shownByItself in value ? undefined : own && [...own, ...told(value)]
    return isPlain(value) ? own : undefined
  } catch {
    return undefined
  }
}

const shownByItself = Symbol.for('nodejs.util.inspect.custom')

/** Own keys and values; undefined when one of them is computed. */
function ownContents(value: object): unknown[] | undefined {
  const contents: unknown[] = []
  for (const key of Reflect.ownKeys(value)) {
    const property = Reflect.getOwnPropertyDescriptor(value, key)
    // Engines differ in whether the stack of an error is computed; it is read by its name.
    if (key === 'stack') continue
    if (!property || !('value' in property)) return undefined
    contents.push(key, property.value)
  }
  return contents
}

function told({ name, message, stack, cause }: Error): readonly unknown[] {
  return [name, message, stack, cause]
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}
