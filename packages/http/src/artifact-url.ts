import { type ArtifactId, isArtifactId } from '@capstan/core'
import type { HandlerOptions } from './options.js'

type Base = Pick<HandlerOptions, 'basePath'>

/** Where an artifact is read, from the root of the host: what stands in front of this program may be known by another name. */
export function artifactUrl({ basePath = '/' }: Base, id: string): string {
  return `${basePath.replace(/\/+$/, '')}/artifacts/${id}`
}

/** The artifact that such an address is of. */
export function artifactIdOf(base: Base, url: string): ArtifactId | undefined {
  const id = url.split('/').at(-1)
  if (!isArtifactId(id)) return undefined
  const path = URL.canParse(url) ? new URL(url).pathname : url
  return path === artifactUrl(base, id) ? id : undefined
}
