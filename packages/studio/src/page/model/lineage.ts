// Lineage of artifacts as a list of levels: what was made from what.
import type { Artifact } from '@capstan/core'
import type { Lineage } from '../../types.js'

/** An artifact, or the result of a call that created none. Artifacts missing in the store are leaves. */
export interface LineageNode {
  readonly id: string
  readonly artifact?: Artifact
}

interface LineageLink {
  readonly from: string
  readonly to: string
  readonly tool: string
  readonly callId: string
  readonly run: string
}

/** A node in the list, placed below the first node that it was made from. */
export interface LineageRow {
  readonly node: LineageNode
  readonly level: number
  /** The edge to its source. Absent if it was not made from another artifact. */
  readonly link?: LineageLink
  /** Whether the node and its descendants are already listed above. */
  readonly isAgain: boolean
}

/** Returns all nodes of a lineage: stored artifacts, and artifacts that only edges name. */
export function nodesOf({ nodes, edges }: Lineage): readonly LineageNode[] {
  const known = new Map<string, LineageNode>(
    nodes.map((artifact) => [artifact.id, { id: artifact.id, artifact }]),
  )
  for (const { from, to } of edges) {
    for (const id of [from, to]) if (!known.has(id)) known.set(id, { id })
  }
  return [...known.values()]
}

/** Returns the lineage as a list: each artifact is followed by the artifacts made from it. */
export function rowsOfLineage(lineage: Lineage): readonly LineageRow[] {
  const nodes = new Map(nodesOf(lineage).map((node) => [node.id, node]))
  const made = (id: string) => lineage.edges.filter(({ from }) => from === id)
  const targets = new Set(lineage.edges.map(({ to }) => to))
  const rows: LineageRow[] = []
  const shown = new Set<string>()
  const visit = (node: LineageNode, level: number, link?: LineageLink) => {
    const isAgain = shown.has(node.id)
    rows.push({ node, level, isAgain, ...(link && { link }) })
    if (isAgain) return
    shown.add(node.id)
    for (const next of made(node.id)) {
      const target = nodes.get(next.to)
      if (target) visit(target, level + 1, next)
    }
  }
  for (const node of nodes.values()) if (!targets.has(node.id)) visit(node, 1)
  // What is left is made from itself, through others.
  for (const node of nodes.values()) if (!shown.has(node.id)) visit(node, 1)
  return rows
}
