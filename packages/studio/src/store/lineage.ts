// Artifacts by what they were made from.

import type { Artifact, ArtifactStore } from '@capstan/core'
import { isArtifactId } from '@capstan/core'
import type { Lineage, RunSummary } from '../types.js'

/** An artifact with its neighbours, and the runs that name it. */
export interface AboutArtifact {
  readonly artifact: Artifact
  readonly parents: readonly Artifact[]
  readonly children: readonly Artifact[]
  readonly runs: readonly RunSummary[]
}

/** Returns an artifact with its neighbours. Undefined if it is missing. */
export async function aboutArtifact(
  id: string,
  store: Pick<ArtifactStore, 'list'>,
  runs: readonly RunSummary[],
): Promise<AboutArtifact | undefined> {
  const all = await store.list()
  const artifact = all.find((one) => one.id === id)
  if (!artifact) return undefined
  const parents = new Set(parentsOf(artifact))
  return {
    artifact,
    parents: all.filter((one) => parents.has(one.id)),
    children: all.filter((one) => parentsOf(one).includes(id)),
    runs: runs.filter(({ artifacts }) => artifacts.includes(id)),
  }
}

/**
 * Returns the artifacts that these were made from or were used for, recursively and oldest first, and the edges between
 * them.
 */
export async function lineageOf(
  ids: readonly string[],
  store: Pick<ArtifactStore, 'list'>,
): Promise<Lineage> {
  const all = await store.list()
  const byId = new Map(all.map((one) => [one.id as string, one]))
  const children = new Map<string, string[]>()
  for (const one of all)
    for (const parent of parentsOf(one)) children.set(parent, [...(children.get(parent) ?? []), one.id])
  const found = new Set<string>()
  collect(ids, (id) => parentsOf(byId.get(id)), found)
  const became = new Set<string>()
  collect(ids, (id) => children.get(id) ?? [], became)
  const nodes = all.filter(({ id }) => found.has(id) || became.has(id))
  return { nodes, edges: nodes.flatMap((to) => edgesTo(to, byId)) }
}

/** Adds ids and everything that follows from them. A store may contain anything, even an artifact made from itself. */
function collect(ids: readonly string[], next: (id: string) => readonly string[], found: Set<string>): void {
  const waiting = [...ids]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    waiting.push(...next(id))
  }
}

function edgesTo(to: Artifact, known: ReadonlyMap<string, Artifact>): Lineage['edges'] {
  const { tool = '', callId = '', runId: run = '' } = to.origin ?? {}
  return parentsOf(to)
    .filter((from) => known.has(from))
    .map((from) => ({ from, to: to.id, tool, callId, run }))
}

/** Reads `parents`, which other programs may have written. */
function parentsOf(artifact: Artifact | undefined): readonly string[] {
  return Array.isArray(artifact?.parents) ? artifact.parents.filter(isArtifactId) : []
}
