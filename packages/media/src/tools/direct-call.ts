import {
  type AnyTool,
  type Artifact,
  type ArtifactStore,
  type CallOptions,
  isArtifact,
  memoryArtifacts,
  type ReadableArtifact,
  readArtifactBytes,
} from '@capstan/core'
import { withReader } from '@capstan/core/internal'

/** The kinds of artifacts that the media tools create. */
type ReadableKind = 'image' | 'audio' | 'text'

/** A result whose artifacts can be read. */
type Readable<Result> =
  Result extends Artifact<infer Kind>
    ? Kind extends ReadableKind
      ? ReadableArtifact<Kind>
      : Result
    : { [Field in keyof Result]: Readable<Result[Field]> }

/** The same tool, with a `call` that returns artifacts with their bytes. Runs use the tool unchanged. */
type WithReadable<T extends AnyTool> = Omit<T, 'call'> & {
  call(...given: Parameters<T['call']>): Promise<Readable<Awaited<ReturnType<T['call']>>>>
}

/** Makes the artifacts in results of direct calls readable, even if there is no store. */
export function withReadable<T extends AnyTool>(tool: T, own: ArtifactStore | undefined): WithReadable<T> {
  return {
    ...tool,
    async call(args: unknown, options: CallOptions = {}) {
      const given = own ?? options.artifacts
      const artifacts = given ?? memoryArtifacts()
      const result: unknown = await tool.call(args, { ...options, artifacts })
      return toReadable(result, (one) => (given ? inStore(one, given) : inMemory(one, artifacts)))
    },
  } as unknown as WithReadable<T>
}

/** Replaces the artifacts in a result with readable ones. */
async function toReadable(
  value: unknown,
  read: (artifact: Artifact) => Artifact | Promise<Artifact>,
): Promise<unknown> {
  if (isArtifact(value)) return read(value)
  if (Array.isArray(value)) return Promise.all(value.map((one) => toReadable(one, read)))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(async ([name, field]) => [name, await toReadable(field, read)])
  return Object.fromEntries(await Promise.all(fields))
}

function inStore(artifact: Artifact, store: ArtifactStore): Artifact {
  return withReader(artifact, () => readArtifactBytes(store, artifact.id))
}

/**
 * Copies an artifact's bytes from a call's store, so that the store, with its inputs and other results, can be freed.
 */
async function inMemory(artifact: Artifact, store: ArtifactStore): Promise<Artifact> {
  return withBytes(artifact, await readArtifactBytes(store, artifact.id))
}

function withBytes(artifact: Artifact, bytes: Uint8Array): Artifact {
  return withReader(artifact, async () => bytes.slice())
}
