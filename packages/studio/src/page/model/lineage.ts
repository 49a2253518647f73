// Converts the lineage of artifacts to an indented list, which shows what was made from what.
import type { Artifact } from '@capstan/core'
import type { Lineage } from '../../types.js'

/**
 * A node in a lineage. `artifact` is absent if a result has no artifacts, or if the store no longer contains the
 * artifact.
 */
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

/** A row in the list. A node follows the node that it was made from, one level deeper. */
export interface LineageRow {
  readonly node: LineageNode
  readonly level: number
  /** The edge from the node that this node was made from, if any. */
  readonly link?: LineageLink
  /** Whether the node, with everything that was made from it, is already listed above. */
  readonly isAgain: boolean
}

/** Returns all nodes in a lineage: the stored artifacts, and the ids that occur only in edges. */
export function nodesOf({ nodes, edges }: Lineage): readonly LineageNode[] {
  const known = new Map<string, LineageNode>(
    nodes.map((artifact) => [artifact.id, { id: artifact.id, artifact }]),
  )
  for (const { from, to } of edges) {
    for (const id of [from, to]) if (!known.has(id)) known.set(id, { id })
  }
  return [...known.values()]
}

/** Returns the rows of a lineage. Each artifact is followed by the artifacts that were made from it. */
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
  // The remaining nodes are part of a cycle.
  for (const node of nodes.values()) if (!shown.has(node.id)) visit(node, 1)
  return rows
}
