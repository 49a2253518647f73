import type { Artifact } from '@capstan/core'
import { artifactAddress } from '../api/client.js'
import { formatBytes, formatMs, shorten } from '../model/format.js'

/** Shows an artifact: an image, a player for audio, or a download link for anything else. */
export function Media({ artifact }: { readonly artifact: Artifact }) {
  const { id, kind, width, height, origin } = artifact
  const name = origin?.prompt ? shorten(origin.prompt, 200) : id
  const source = artifactAddress(id)
  return (
    <figure class={`media media-${kind}`}>
      {kind === 'image' ? (
        <a href={source} target="_blank" rel="noreferrer" aria-label={`Open ${id}`}>
          <img
            src={source}
            alt={name}
            loading="lazy"
            decoding="async"
            {...(width && height && { width, height })}
          />
        </a>
      ) : kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: generated speech needs no captions, because its label is its prompt.
        <audio controls preload="metadata" src={source} aria-label={name} />
      ) : (
        <a href={artifactAddress(id, true)} download>
          {id}
        </a>
      )}
      <figcaption>
        <code>{id}</code> {factsOf(artifact)}
      </figcaption>
    </figure>
  )
}

/** Formats an artifact's details on one line: `640 × 480 · PNG · 12 kB`, or `1.2 s · WAV · 38 kB`. */
export function factsOf({ width, height, durationMs, mediaType, size }: Artifact): string {
  const parts = [
    width && height ? `${width} × ${height}` : undefined,
    durationMs === undefined ? undefined : formatMs(durationMs),
    mediaType.replace(/^[a-z]+\//, '').toUpperCase(),
    formatBytes(size),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** Shows a small image or a small audio player for an artifact id. */
export function Thumbnail({ id }: { readonly id: string }) {
  const source = artifactAddress(id)
  if (id.startsWith('aud_'))
    // biome-ignore lint/a11y/useMediaCaption: the prompt is shown where the audio was created.
    return <audio class="thumbnail" controls preload="none" src={source} aria-label={id} />
  return (
    <img class="thumbnail" src={source} alt={id} width={48} height={48} loading="lazy" decoding="async" />
  )
}
