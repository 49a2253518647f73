import type { Artifact } from '@capstan/core'
import { useEffect, useState } from 'preact/hooks'
import { api, artifactAddress, messageOf } from '../api/client.js'
import { runs, tell } from '../api/state.js'
import { shorten } from '../model/format.js'
import { Media } from '../parts/media.js'
import { Pairs } from '../parts/pairs.js'
import { setQuery, toAddress } from '../shell/route.js'

type About = Awaited<ReturnType<typeof api.aboutArtifact>>

/** Shows one artifact: its content, its origin, and the artifacts that were made from it. */
export function ArtifactDetail({ id }: { readonly id: string }) {
  const [about, setAbout] = useState<About | { readonly problem: string }>()
  useEffect(() => {
    let isCurrent = true
    api.aboutArtifact(id).then(
      (found) => isCurrent && setAbout(found),
      (error) => isCurrent && setAbout({ problem: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [id])
  if (!about) return <p class="empty">Loading …</p>
  if ('problem' in about) {
    return (
      <div class="empty">
        <p>
          <code>{id}</code> is missing: {about.problem}
        </p>
        <CloseButton />
      </div>
    )
  }
  const { artifact } = about
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => tell(`Copied ${id}.`),
      () => {},
    )
  return (
    <div class="tab-panel">
      <div class="line">
        <h2>
          <code>{id}</code>
        </h2>
        <span class="spacer" />
        <CloseButton />
      </div>
      <Media artifact={artifact} />
      <Facts about={about} />
      <p class="line">
        <a class="button" href={artifactAddress(id)} target="_blank" rel="noreferrer">
          Open
        </a>
        <a class="button" href={artifactAddress(id, true)} download>
          Download
        </a>
        <button type="button" onClick={copy}>
          Copy id
        </button>
      </p>
    </div>
  )
}

function Facts({ about }: { readonly about: About }) {
  const { artifact, parents, children } = about
  const { origin } = artifact
  return (
    <Pairs
      pairs={[
        ['made by', origin?.tool && <code>{origin.tool}</code>],
        ['prompt', origin?.prompt],
        ['model', origin?.model],
        ['untrusted', origin?.taintedBy && `content from ${origin.taintedBy}`],
        ['from', parents.length > 0 && <Links artifacts={parents} />],
        ['used for', children.length > 0 && <Links artifacts={children} />],
        ['runs', about.runs.length > 0 && <RunLinks ids={about.runs} />],
      ].map(([name, value]) => [String(name), value || undefined])}
    />
  )
}

function CloseButton() {
  return (
    <button type="button" class="plain" onClick={() => setQuery({ id: undefined })}>
      Close
    </button>
  )
}

function Links({ artifacts }: { readonly artifacts: readonly Artifact[] }) {
  return (
    <>
      {artifacts.map(({ id }) => (
        <button type="button" class="small" key={id} onClick={() => setQuery({ id })}>
          {id}
        </button>
      ))}
    </>
  )
}

function RunLinks({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {ids.map((id) => (
        <a key={id} href={toAddress(['runs', id])}>
          {shorten(runs.value.get(id)?.title ?? id, 60)}
        </a>
      ))}
    </>
  )
}
