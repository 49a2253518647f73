import { type Artifact, isArtifact } from '@capstan/core'

/**
 * What a program may give a tool for an image or a recording: the id of one or the artifact itself, bytes, a Blob, a
 * file's path, a `data:` address, or an address that is fetched.
 */
export type MediaInput<Kind extends 'image' | 'audio'> = Artifact<Kind>['id'] | Artifact<Kind> | Foreign

/** What of it is not in the store yet. */
export type Foreign =
  | Uint8Array
  | Blob
  | { readonly path: string }
  | `data:${string}`
  | URL
  | `http://${string}`
  | `https://${string}`

/** Whether something given must be stored before a tool can take it by its id. */
export function isForeign(given: unknown): given is Foreign {
  if (typeof given === 'string') return /^(data:|https?:\/\/)/i.test(given)
  return typeof given === 'object' && given !== null && !isArtifact(given)
}
