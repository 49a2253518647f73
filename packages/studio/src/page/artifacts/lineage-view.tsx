import type { Artifact } from '@capstan/core'
import { useEffect, useState } from 'preact/hooks'
import type { Lineage } from '../../types.js'
import { api, artifactAddress, messageOf } from '../api/client.js'
import { shorten } from '../model/format.js'
import { type LineageRow, rowsOfLineage } from '../model/lineage.js'
import { setQuery } from '../shell/route.js'

/**
 * The graph's module. It is loaded only when a graph is shown, because its layout library is the largest part of the
 * page.
 */
type Graph = typeof import('./lineage-graph.js')

interface LineageViewProps {
  readonly artifacts: readonly Artifact[] | undefined
  /**
   * The id of the run whose artifacts are shown. If empty, the lineage of the selected or the newest artifact is shown.
   */
  readonly run: string
  readonly artifact: string | undefined
}

/** Shows the lineage of an artifact, or of all artifacts in a run, as a graph and as a list. */
export function LineageView({ artifacts, run, artifact }: LineageViewProps) {
  const [graph, setGraph] = useState<Graph>()
  const [lineage, setLineage] = useState<Lineage | { readonly problem: string }>()
  const start = run ? undefined : (artifact ?? artifacts?.[0]?.id)
  const [shown, setShown] = useState(start)
  // Selecting an artifact that is already in the graph does not load another graph.
  const isInside = lineage && 'nodes' in lineage && lineage.nodes.some(({ id }) => id === start)
  const about = isInside ? shown : start
  useEffect(() => {
    void import('./lineage-graph.js').then(setGraph)
  }, [])
  useEffect(() => {
    if (!run && !about) return
    let isCurrent = true
    setShown(about)
    api.lineage(run ? { run } : { artifact: about }).then(
      (found) => isCurrent && setLineage(found),
      (error) => isCurrent && setLineage({ problem: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [run, about])
  if (artifacts?.length === 0) return <p class="empty">No artifacts yet.</p>
  if (!lineage || !graph) return <p class="empty">Loading …</p>
  if ('problem' in lineage) return <p class="empty">{lineage.problem}</p>
  return (
    <>
      <graph.LineageGraph lineage={lineage} selected={artifact} />
      <h2 class="lineage-title">As a list</h2>
      <LineageList rows={rowsOfLineage(lineage)} selected={artifact} />
    </>
  )
}

function LineageList({
  rows,
  selected,
}: {
  readonly rows: readonly LineageRow[]
  readonly selected: string | undefined
}) {
  return (
    <ul class="lineage-list">
      {rows.map(({ node, level, link, isAgain }, at) => (
        <li key={at} class={`level-${Math.min(level, 6)}`}>
          {link && (
            <span class="soft">
              <span class="visually-hidden">
                level {level}, from {link.from} by{' '}
              </span>
              <span aria-hidden="true">└ </span>
              {link.tool} →{' '}
            </span>
          )}
          {node.artifact ? (
            <button
              type="button"
              class="small"
              aria-pressed={node.id === selected}
              onClick={() => setQuery({ id: node.id })}
            >
              {node.artifact.kind === 'image' && (
                <img src={artifactAddress(node.id)} alt="" width={24} height={24} loading="lazy" />
              )}
              {node.id}
            </button>
          ) : (
            <code>
              {shorten(node.id, 80)} {/^(img|aud|txt|file)_/.test(node.id) && '(missing)'}
            </code>
          )}{' '}
          <span class="soft">{isAgain ? 'see above' : shorten(node.artifact?.origin?.prompt ?? '', 80)}</span>
        </li>
      ))}
    </ul>
  )
}
