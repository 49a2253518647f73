import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  type AnyTool,
  type Artifact,
  type ArtifactStore,
  type Attachment,
  memoryArtifacts,
  readArtifactBytes,
  tool,
} from '../../src/index.js'
import { agentOf, because, call, cast, pays } from './cast.js'

describe.each([
  ['image', 'image/png'],
  ['audio', 'audio/wav'],
] as const)('a file of kind %s that tools made from a file attached as untrusted', (kind, mediaType) => {
  const copy = tool({
    name: 'copy',
    description: 'Makes a file from another one',
    parameters: z.object({ id: z.string() }),
    effects: 'read',
    execute: async ({ id }, { artifacts }) => {
      const data = Uint8Array.of(...(await readArtifactBytes(artifacts, id)), 1)
      return artifacts.put(data, { kind, mediaType, parents: [id] })
    },
  }) as unknown as AnyTool

  /** The file that an untrusted one became in as many runs, each by a call that opened the one before. */
  const madeIn = async (runs: number, store: ArtifactStore) => {
    const first = await store.put(Uint8Array.of(0xff, 0), { kind, mediaType })
    const attachments: readonly Attachment[] = [{ ...first, untrusted: true }]
    await agentOf(['Seen.'], [], { artifacts: store }).run('Here.', { attachments })
    let last: Artifact = first
    for (let run = 0; run < runs; run++) {
      const lines = [[call('copy', { id: last.id })]]
      const { artifacts } = await agentOf(lines, [copy], { artifacts: store }).run('Go.')
      last = artifacts.find(({ id }) => id !== last.id) as Artifact
    }
    return { first, last }
  }

  test.each([1, 2, 3])('has its mark after %i runs, and taints a run that opens it', async (runs) => {
    const store = memoryArtifacts()
    const { first, last } = await madeIn(runs, store)
    expect(last).toMatchObject({ kind, origin: { tool: 'copy', taintedBy: first.id } })
    const lines = [[call('copy', { id: last.id })], [pays(1)]]
    const { pay, paid } = cast()
    const { pending } = await agentOf(lines, [copy, pay], { artifacts: store }).run('Go.')
    expect([pending?.[0]?.reason, paid]).toEqual([because(first.id), []])
  })
})
