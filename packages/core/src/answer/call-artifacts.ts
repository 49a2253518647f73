import type {
  Artifact,
  ArtifactInfo,
  ArtifactKind,
  ArtifactOrigin,
  ArtifactStore,
} from '../words/artifact.js'
import type { Spending } from '../words/usage.js'
import type { Purse } from './purse.js'

/** A call that stores artifacts. */
export interface StoringCall {
  readonly origin: ArtifactOrigin
  readonly purse: Purse
  /** Hears of each artifact once it is stored. */
  stored(artifact: Artifact): void
  spend(spending: Spending): void
}

/** A run's store as one call sees it. */
export interface CallArtifacts {
  readonly store: ArtifactStore
  /** The artifacts that the store gave to this call, by id: only these are artifacts in its result. */
  readonly given: ReadonlyMap<string, Artifact>
}

/** Artifacts that a call puts into the store name it as their origin, and count towards the run's limits. */
export function callArtifacts(store: ArtifactStore, call: StoringCall): CallArtifacts {
  const given = new Map<string, Artifact>()
  const give = <One extends Artifact | undefined>(artifact: One): One => {
    if (artifact) given.set(artifact.id, artifact)
    return artifact
  }
  const stat = async (id: string) => give(await store.stat(id))
  return {
    given,
    store: {
      stat,
      async put(data, info) {
        const artifact = await store.put(counted(data, call), withOrigin(info, call.origin))
        call.stored(artifact)
        return give(artifact)
      },
      async open(id) {
        if (!given.has(id)) await stat(id)
        return store.open(id)
      },
      list: async () => (await store.list()).map(give),
      delete: (id) => store.delete(id),
    },
  }
}

function withOrigin<Kind extends ArtifactKind>(
  info: ArtifactInfo<Kind>,
  origin: ArtifactOrigin,
): ArtifactInfo<Kind> {
  return { ...info, origin: { ...origin, ...info.origin } }
}

type Data = Parameters<ArtifactStore['put']>[0]

/** @throws CapstanError `stopped` when a limit of the run would be passed; a stream breaks off with it */
function counted(data: Data, { purse, spend }: StoringCall): Data {
  if (!purse.countsArtifacts) return data
  const count = (artifactBytes: number) => spend({ artifacts: 1, artifactBytes })
  if (data instanceof Uint8Array) {
    count(data.byteLength)
    return data
  }
  let bytes = 0
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.byteLength
      // Not at the end: a stream may never come to one.
      if (bytes > purse.bytesLeft) count(bytes)
      out.enqueue(chunk)
    },
    flush: () => count(bytes),
  })
  return data.pipeThrough(meter)
}
