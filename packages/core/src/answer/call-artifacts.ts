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

/** A run's store as one call sees it: what it puts there says where it is from, and counts. */
export function callArtifacts(store: ArtifactStore, call: StoringCall): ArtifactStore {
  return {
    async put(data, info) {
      const artifact = await store.put(counted(data, call), withOrigin(info, call.origin))
      call.stored(artifact)
      return artifact
    },
    open: (id) => store.open(id),
    stat: (id) => store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
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
