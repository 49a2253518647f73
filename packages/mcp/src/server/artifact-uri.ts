import { isArtifactId } from '@capstan/core'

const start = 'capstan://artifact/'

/** What an artifact is linked to by. */
export function toUri(id: string): string {
  return `${start}${id}`
}

/** The id that a link means; undefined for every other address. */
export function idOf(uri: string): string | undefined {
  const id = uri.startsWith(start) ? uri.slice(start.length) : ''
  return isArtifactId(id) ? id : undefined
}
