import type { Artifact } from '../words/artifact.js'
import { isArtifact } from '../words/artifact.js'
import { CapstanError, messageOf } from '../words/error.js'
import type { Json } from '../words/json.js'

export interface Rendered {
  /** What the model reads: a string as it is, anything else as JSON, artifacts as references. */
  readonly content: string
  /** The value as JSON; absent when there was none. */
  readonly result?: Json
  readonly artifacts: readonly Artifact[]
}

/** Writes what a tool returned. @throws CapstanError `invalid_tool` for what JSON would lose: bytes, BigInt, Map, a circle. */
export function renderOutput(value: unknown): Rendered {
  if (typeof value === 'string') return { content: value.toWellFormed(), result: value, artifacts: [] }
  const artifacts: Artifact[] = []
  const json = toJson(value, collecting(artifacts))
  if (json === undefined) return { content: 'Done. The tool returned no value.', artifacts }
  const result: Json = JSON.parse(json)
  return { content: artifacts.length === 0 ? json : JSON.stringify(result, byReference), result, artifacts }
}

function toJson(value: unknown, replacer: Replacer): string | undefined {
  try {
    return JSON.stringify(value, replacer)
  } catch (error) {
    if (error instanceof CapstanError) throw error
    const [first = ''] = messageOf(error).split('\n')
    throw unwritable(`${first}; return a plain value without references back to itself`, error)
  }
}

type Replacer = (this: unknown, key: string, value: unknown) => unknown

/** Sees the original of each value, before a `toJSON` has changed it. */
function collecting(artifacts: Artifact[]): Replacer {
  return function (key, value) {
    const original = (this as Record<string, unknown>)[key]
    const place = key === '' ? 'it' : `"${key}"`
    if (typeof original === 'bigint') throw unwritable(`${place} is a BigInt; return a string or a number`)
    if (isBinary(original)) {
      throw unwritable(`${place} holds bytes; store them with ctx.artifacts.put(...) and return the artifact`)
    }
    if (original instanceof Error) return { error: original.message }
    if (isLostInJson(original)) {
      const instead = original instanceof Promise ? 'await it' : 'return an object or an array'
      throw unwritable(`${place} is a ${original.constructor.name}; ${instead}`)
    }
    if (isArtifact(value) && !artifacts.some(({ id }) => id === value.id)) artifacts.push(value)
    return value
  }
}

function isBinary(value: unknown): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob
}

/** A Map, a Promise, a Response: JSON writes `{}` and says nothing. */
function isLostInJson(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  return !isPlain && !('toJSON' in value) && Object.keys(value).length === 0
}

const byReference: Replacer = (_key, value) => (isArtifact(value) ? toReference(value) : value)

/** An artifact as a model sees it. */
export function toReference({
  id,
  mediaType,
  width,
  height,
  durationMs,
}: Artifact): Readonly<Record<string, unknown>> {
  return { artifact: id, mediaType, width, height, durationMs }
}

function unwritable(why: string, cause?: unknown): CapstanError {
  return new CapstanError('invalid_tool', `The tool ran, but its result cannot be written as JSON: ${why}.`, {
    cause,
  })
}
