import { graphlib, layout } from '@dagrejs/dagre'
import type { Lineage } from '../../types.js'
import { artifactAddress } from '../api/client.js'
import { shorten } from '../model/format.js'
import { type LineageNode, nodesOf } from '../model/lineage.js'
import { setQuery } from '../shell/route.js'

const size = { width: 150, height: 128 }

/**
 * Draws a lineage from left to right. Screen readers skip the drawing, because `LineageView` lists the same data below
 * it.
 */
export function LineageGraph({
  lineage,
  selected,
}: {
  readonly lineage: Lineage
  readonly selected: string | undefined
}) {
  const nodes = nodesOf(lineage)
  const { width, height, placeOf, pathOf } = arrange(lineage, nodes)
  return (
    <section class="graph-scroll" aria-label="Graph of the list below" tabIndex={0}>
      <svg class="graph" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {lineage.edges.map((edge) => {
          const { path, x, y } = pathOf(edge.from, edge.to)
          return (
            <g key={`${edge.callId} ${edge.from} ${edge.to}`}>
              <path class="graph-edge" d={path} marker-end="url(#arrow)" />
              <text x={x} y={y - 5} text-anchor="middle">
                {edge.tool}
              </text>
            </g>
          )
        })}
        {nodes.map((node) => {
          const { x, y } = placeOf(node.id)
          return <GraphNode key={node.id} node={node} x={x} y={y} isSelected={node.id === selected} />
        })}
      </svg>
    </section>
  )
}

interface GraphNodeProps {
  readonly node: LineageNode
  readonly x: number
  readonly y: number
  readonly isSelected: boolean
}

function GraphNode({ node: { id, artifact }, x, y, isSelected }: GraphNodeProps) {
  const { width, height } = size
  const words =
    artifact?.origin?.prompt ?? (artifact ? artifact.kind : /^(img|aud|txt|file)_/.test(id) ? 'missing' : '')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the graph is hidden from screen readers; the list below it has buttons.
    <g
      class={`graph-node${isSelected ? ' is-selected' : ''}${artifact ? '' : ' is-missing'}`}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
      onClick={() => artifact && setQuery({ id })}
    >
      <rect width={width} height={height} rx="8" />
      {artifact?.kind === 'image' ? (
        <image
          href={artifactAddress(id)}
          x="8"
          y="8"
          width={width - 16}
          height={height - 52}
          preserveAspectRatio="xMidYMid meet"
        />
      ) : (
        <text class="graph-sign" x={width / 2} y={height / 2 - 12} text-anchor="middle">
          {artifact?.kind === 'audio' ? '♪' : artifact ? '¶' : '?'}
        </text>
      )}
      <text class="graph-id" x="8" y={height - 26}>
        {shorten(id, 20)}
      </text>
      <text x="8" y={height - 10}>
        {shorten(words, 22)}
      </text>
    </g>
  )
}

function arrange(lineage: Lineage, nodes: readonly LineageNode[]) {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 110, marginx: 12, marginy: 16 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { ...size })
  for (const { from, to } of lineage.edges) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const placeOf = (id: string) => {
    const { x = 0, y = 0 } = graph.node(id) ?? {}
    return { x, y }
  }
  const pathOf = (from: string, to: string) => {
    const points: readonly { readonly x: number; readonly y: number }[] = graph.edge(from, to)?.points ?? []
    const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 }
    return {
      path: points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(''),
      x: middle.x,
      y: middle.y,
    }
  }
  return { width: Math.ceil(width), height: Math.ceil(height), placeOf, pathOf }
}
