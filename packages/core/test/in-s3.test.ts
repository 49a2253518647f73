import { expect, test } from 'vitest'
import { readBytes } from '../src/artifacts/memory-artifacts.js'
import { unstorageArtifacts } from '../src/index.js'
import { startS3 } from './s3-server.js'

test('stores and reads artifacts in S3', async () => {
  await using s3 = await startS3()
  const store = unstorageArtifacts(s3.bucket())
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256)
  const png = { kind: 'image', mediaType: 'image/png', width: 4, parents: ['img_aaaaaaaa'] } as const
  const artifact = await store.put(new Blob([bytes]).stream(), png)
  const other = unstorageArtifacts(s3.bucket())
  expect(await other.stat(artifact.id)).toEqual(artifact)
  expect(Buffer.compare(await readBytes(await other.open(artifact.id)), bytes)).toBe(0)
  const second = await other.put(Uint8Array.of(1), { kind: 'audio', mediaType: 'audio/wav' })
  expect(await store.list()).toEqual([artifact, second])
  await store.delete(artifact.id)
  expect(await other.stat(artifact.id)).toBeUndefined()
  await expect(other.open(artifact.id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(store.stat('img_bbbbbbbb')).resolves.toBeUndefined()
})
