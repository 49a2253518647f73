import { isRecord } from '@capstan/core/internal'
import type { Path } from './value-places.js'

/** A copy of a value with another part at a place; undefined takes a field away. */
export function putAt(value: unknown, path: Path, part: unknown): unknown {
  const [key, ...inner] = path
  if (key === undefined) return part
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? putAt(item, inner, part) : item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(
    ([name]) => name !== key || inner.length > 0 || part !== undefined,
  )
  const put = entries.map(([name, old]) => [name, name === key ? putAt(old, inner, part) : old])
  const isNew = inner.length === 0 && part !== undefined && !Object.hasOwn(value, key)
  return Object.fromEntries(isNew ? [...put, [key, part]] : put)
}
