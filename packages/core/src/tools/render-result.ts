import { type Artifact, isArtifact } from '../artifacts/artifact.js'
import { CapstanError } from '../errors.js'
import type { Json } from '../json.js'
import { type JsonLoss, toJson } from './to-json.js'

export interface Rendered {
  /** What the model reads: a string as it is, anything else as JSON, artifacts as references. */
  readonly content: string
  /** The value as JSON; absent when there was none. */
  readonly result?: Json
  readonly artifacts: readonly Artifact[]
}

/**
 * Writes what a tool returned; an error that was returned is thrown. A value is an artifact only if its id is in
 * `given`, which also describes it. Everything else of that form is data.
 * @throws CapstanError `invalid_tool` for what JSON would lose: bytes, BigInt, NaN, Map, a function, a circle
 */
export function renderOutput(value: unknown, given: ReadonlyMap<string, Artifact> = new Map()): Rendered {
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

function toResult(value: unknown): Json | undefined {
  try {
    return toJson(value)
  } catch (error) {
    const { message: why, instead } = error as JsonLoss
    const message = `The tool ran, but its result cannot be written as JSON: ${why}; ${instead}.`
    throw new CapstanError('invalid_tool', message, { cause: error })
  }
}

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
