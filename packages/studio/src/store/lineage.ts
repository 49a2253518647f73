// Finds what an artifact was made from, and what was made from it.

import type { Artifact, ArtifactStore } from '@capstan/core'
import { isArtifactId } from '@capstan/core'
import type { Lineage, RunSummary } from '../types.js'

/** An artifact, what it was made from (`parents`), what was made from it (`children`), and the runs that list it. */
export interface AboutArtifact {
  readonly artifact: Artifact
  readonly parents: readonly Artifact[]
  readonly children: readonly Artifact[]
  readonly runs: readonly RunSummary[]
}

/** Returns an artifact with its parents, children and runs. Undefined if the store does not contain the artifact. */
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
 * Returns these artifacts, everything that they were made from, and everything that was made from them, directly or
 * indirectly. The nodes are sorted oldest first.
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

/**
 * Adds the ids, and all ids that can be reached from them through `next`, to `found`. Also ends if the ids form a
 * cycle.
 */
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

/** Returns an artifact's parents. Ignores invalid values, because any program can write to the store. */
function parentsOf(artifact: Artifact | undefined): readonly string[] {
  return Array.isArray(artifact?.parents) ? artifact.parents.filter(isArtifactId) : []
}
