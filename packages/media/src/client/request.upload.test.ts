import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { fromBytes } from '../inputs/stored-bytes.js'
import { toUpload } from './request.js'

test.each([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/svg+xml', 'svg'],
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg; codecs=opus', 'ogg'],
  ['application/octet-stream', 'bin'],
])('uploads %s with the extension %s', async (mediaType, extension) => {
  const bytes = Uint8Array.from([1, 2, 3])
  const artifact = await memoryArtifacts().put(bytes, { kind: 'file', mediaType })
  const file = toUpload({ artifact, ...fromBytes(bytes) })
  expect(file.name).toBe(`${artifact.id}.${extension}`)
  expect(file.type).toBe(mediaType)
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes)
})
