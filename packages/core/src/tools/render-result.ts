import { type Artifact, isArtifact } from '../artifacts/artifact.js'
import { CapstanError } from '../errors.js'
import type { Json } from '../json.js'
import { type JsonLoss, toJson } from './to-json.js'

/** The result of a tool, rendered for the model and the caller. */
export interface Rendered {
  /** The text that the model reads: a string unchanged, other values as JSON, artifacts as references. */
  readonly content: string
  /** The value as JSON; absent if the tool returned no value. */
  readonly result?: Json
  readonly artifacts: readonly Artifact[]
}

/**
 * Renders the return value of a tool. A value counts as an artifact only if its id is in `given`, which also supplies
 * its description. Other values of that shape are data.
 * @throws CapstanError `invalid_tool` for a value that JSON would lose: bytes, BigInt, NaN, Map, a function, a cycle.
 * Also throws an error that the tool returned.
 */
export function renderOutput(value: unknown, given: ReadonlyMap<string, Artifact> = none): Rendered {
  if (value instanceof Error) throw value
  if (typeof value === 'string') return { content: value.toWellFormed(), result: value, artifacts: [] }
  const result = toResult(value)
  if (result === undefined) return { content: 'Done. The tool returned no value.', artifacts: [] }
  if (given.size === 0) return { content: JSON.stringify(result), result, artifacts: [] }
  const artifacts = new Map<string, Artifact>()
  const content = JSON.stringify(result, (_key, part) => {
    const artifact = isArtifact(part) ? given.get(part.id) : undefined
    if (!artifact) return part
    artifacts.set(artifact.id, artifact)
    return toReference(artifact)
  })
  return { content, result, artifacts: [...artifacts.values()] }
}

const none: ReadonlyMap<string, Artifact> = new Map()

function toResult(value: unknown): Json | undefined {
  try {
    return toJson(value)
  } catch (error) {
    const { message: reason, instead } = error as JsonLoss
    const message = `The tool ran, but its result cannot be written as JSON: ${reason}; ${instead}.`
    throw new CapstanError('invalid_tool', message, { cause: error })
  }
}

/** Returns an artifact as the model reads it: a reference without bytes. */
export function toReference({
  id,
  mediaType,
  width,
  height,
  durationMs,
}: Artifact): Readonly<Record<string, unknown>> {
  return { artifact: id, mediaType, width, height, durationMs }
}
