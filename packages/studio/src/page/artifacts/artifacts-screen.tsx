// Shows the artifacts that runs created or received, as a grid or as a lineage graph.
import type { Artifact } from '@capstan/core'
import { useEffect, useState } from 'preact/hooks'
import { api, artifactAddress } from '../api/client.js'
import { attempt, newestRuns, runs } from '../api/state.js'
import { formatMs, shorten } from '../model/format.js'
import { factsOf } from '../parts/media.js'
import { route, setQuery } from '../shell/route.js'
import { ArtifactDetail } from './artifact-detail.js'
import { LineageView } from './lineage-view.js'

export function ArtifactsScreen() {
  const { kind = '', run = '', view = 'grid' } = route.value.query
  const { artifacts, more } = useArtifacts(kind, run)
  const selected = route.value.query['id']
  return (
    <>
      <Head kind={kind} run={run} view={view} />
      <div class={selected ? 'panes artifact-panes' : 'panes one-pane'}>
        <section class="pane" aria-label="Artifacts">
          <div class="tab-panel">
            {view === 'lineage' ? (
              <LineageView artifacts={artifacts} run={run} artifact={selected} />
            ) : (
              <Grid artifacts={artifacts} selected={selected} />
            )}
            {more && view === 'grid' && (
              <button type="button" onClick={more}>
                Show older artifacts
              </button>
            )}
          </div>
        </section>
        {selected && (
          <section class="pane" aria-label={`Artifact ${selected}`}>
            <ArtifactDetail key={selected} id={selected} />
          </section>
        )}
      </div>
    </>
  )
}

interface HeadProps {
  readonly kind: string
  readonly run: string
  readonly view: string
}

function Head({ kind, run, view }: HeadProps) {
  const runsWithArtifacts = newestRuns.value.filter((one) => one.artifacts.length > 0)
  return (
    <header class="screen-head">
      <h1>Artifacts</h1>
      <div class="line" role="group" aria-label="Kind">
        {['', 'image', 'audio', 'text'].map((one) => (
          <button type="button" key={one} aria-pressed={kind === one} onClick={() => setQuery({ kind: one })}>
            {{ '': 'all', image: 'images', audio: 'audio', text: 'text' }[one]}
          </button>
        ))}
      </div>
      <label for="artifact-run">from run</label>
      <select
        id="artifact-run"
        value={run}
        onChange={(event) => setQuery({ run: event.currentTarget.value })}
      >
        <option value="">all runs</option>
        {runsWithArtifacts.map((one) => (
          <option key={one.id} value={one.id}>
            {shorten(one.title || one.id, 40)}
          </option>
        ))}
      </select>
      <span class="spacer" />
      <div class="line" role="group" aria-label="View">
        <button type="button" aria-pressed={view === 'grid'} onClick={() => setQuery({ view: 'grid' })}>
          Grid
        </button>
        <button type="button" aria-pressed={view === 'lineage'} onClick={() => setQuery({ view: 'lineage' })}>
          Lineage
        </button>
      </div>
    </header>
  )
}

/** Loads the newest artifacts, and reloads them when a run creates one. `more` is absent if there are no older ones. */
function useArtifacts(kind: string, run: string) {
  const [list, setList] = useState<{ artifacts: readonly Artifact[]; next?: string | undefined }>()
  const made = [...runs.value.values()].reduce((sum, one) => sum + one.artifacts.length, 0)
  const query = { ...(kind && { kind }), ...(run && { run }), limit: 60 }
  useEffect(() => {
    let isCurrent = true
    void attempt(() => api.artifacts(query)).then(
      (answer) => isCurrent && setList(answer ?? { artifacts: [] }),
    )
    return () => {
      isCurrent = false
    }
  }, [kind, run, made])
  const next = list?.next
  const more = async () => {
    const answer = await attempt(() => api.artifacts({ ...query, before: next }))
    if (answer) setList({ artifacts: [...(list?.artifacts ?? []), ...answer.artifacts], next: answer.next })
  }
  return { artifacts: list?.artifacts, ...(next && { more }) }
}

function Grid({
  artifacts,
  selected,
}: {
  readonly artifacts: readonly Artifact[] | undefined
  readonly selected: string | undefined
}) {
  if (!artifacts) return <p class="empty">Loading …</p>
  if (artifacts.length === 0)
    return (
      <p class="empty">
        No artifacts yet. Images, audio and text that tools create, and files that you attach, appear here.
      </p>
    )
  return (
    <ul class="tiles">
      {artifacts.map((artifact) => (
        <li key={artifact.id}>
          <button
            type="button"
            class="tile"
            aria-pressed={artifact.id === selected}
            onClick={() => setQuery({ id: artifact.id })}
          >
            <TilePicture artifact={artifact} />
            <code>{artifact.id}</code>
            <span class="soft">{shorten(artifact.origin?.prompt ?? factsOf(artifact), 80)}</span>
          </button>
          {artifact.kind === 'audio' && (
            // biome-ignore lint/a11y/useMediaCaption: the prompt of generated speech is shown above it.
            <audio
              controls
              preload="none"
              src={artifactAddress(artifact.id)}
              aria-label={artifact.origin?.prompt ?? artifact.id}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

/** Shows an artifact's image. For other kinds, shows a symbol with the duration or the kind. */
export function TilePicture({ artifact }: { readonly artifact: Artifact }) {
  const { id, kind, width = 160, height = 120, durationMs, origin } = artifact
  if (kind === 'image') {
    return (
      <img
        class="tile-picture"
        src={artifactAddress(id)}
        alt={origin?.prompt ?? id}
        width={width}
        height={height}
        loading="lazy"
        decoding="async"
      />
    )
  }
  return (
    <span class="tile-picture tile-word">
      {kind === 'audio' ? '♪' : '¶'} {durationMs === undefined ? kind : formatMs(durationMs)}
    </span>
  )
}
