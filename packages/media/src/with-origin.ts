import type { ArtifactStore } from '@capstan/core'

interface Making {
  readonly body: Readonly<Record<string, unknown>>
  readonly parents?: readonly string[]
}

/** The store, noting with what it is given which words, model and artifacts made it. */
export function withOrigin(store: ArtifactStore, { body, parents = [] }: Making): ArtifactStore {
  const { model, prompt = body.input } = body
  const origin = {
    ...(typeof prompt === 'string' ? { prompt } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }
  return {
    put: (data, info) => store.put(data, { ...info, origin, ...(parents.length > 0 ? { parents } : {}) }),
    open: (id) => store.open(id),
    stat: (id) => store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
}
