import type { Artifact } from '../words/artifact.js'

/** The name of an artifact's file, from id and type alone: nothing else that is said of it is trusted with a path. */
export function artifactFile({ id, mediaType }: Pick<Artifact, 'id' | 'mediaType'>): string {
  return `${id}.${extensionOf(mediaType)}`
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['text/plain', 'txt'],
  ['application/octet-stream', 'bin'],
])

function extensionOf(mediaType: string): string {
  const [type = ''] = mediaType.split(';')
  return extensions.get(type.trim()) ?? /^[a-z]+\/(?:x-)?([a-z0-9]+)$/.exec(type.trim())?.[1] ?? 'bin'
}
