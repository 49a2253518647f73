import type { ArtifactStore } from '@capstan/core'

/** All bytes of an artifact. @throws CapstanError `not_found` */
export async function bytesOf(artifacts: Pick<ArtifactStore, 'open'>, id: string): Promise<Uint8Array> {
  return new Uint8Array(await new Response(await artifacts.open(id)).arrayBuffer())
}
