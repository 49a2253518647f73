import type { ArtifactStore } from '@capstan/core'

interface Making {
  readonly body: Readonly<Record<string, unknown>>
  readonly parents?: readonly string[]
}

/**
 * The store, adding to each artifact the prompt, model and artifacts that made it. `ofCall` is the store of the call:
 * it is asked for each artifact, since a result's artifacts are those that it gave.
 */
export function withOrigin(
  store: ArtifactStore,
  { body, parents = [] }: Making,
  ofCall: Pick<ArtifactStore, 'stat'>,
): ArtifactStore {
  const { model, prompt = body.input } = body
  const origin = {
    ...(typeof prompt === 'string' ? { prompt } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }
  return {
    async put(data, info) {
      const artifact = await store.put(data, { ...info, origin, ...(parents.length > 0 ? { parents } : {}) })
      if (ofCall !== store) await ofCall.stat(artifact.id)
      return artifact
    },
    open: (id) => store.open(id),
    stat: (id) => store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
}
