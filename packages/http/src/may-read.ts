import type { Artifact } from '@capstan/core'
import type { Visit } from './site.js'

/** Whether a visitor may read an artifact. */
export async function mayRead(
  artifact: Artifact,
  { site, user }: Pick<Visit, 'site' | 'user'>,
): Promise<boolean> {
  const { mayRead: decides, artifacts } = site.options
  if (decides) return decides(artifact, user)
  return artifacts !== undefined || site.readable.has(user.id, artifact.id)
}
