import { type Artifact, isArtifact, memoryArtifacts } from '@capstan/core'
import { expect, inject, test } from 'vitest'
import type {} from '../../../service/test/start-once.js'
import { openapiTools } from '../../src/openapi.js'
import { mediaDocument } from './media-document.js'

test('a document of our service gives six media tools, and each works', { timeout: 60_000 }, async () => {
  const service = inject('service')
  const requested: string[] = []
  const { tools, skipped } = openapiTools(mediaDocument, {
    allow: '*',
    baseURL: service.baseURL,
    auth: { key: service.apiKey },
    fetch: (input, init) => {
      requested.push(new URL(input instanceof Request ? input.url : input).pathname)
      return fetch(input, init)
    },
  })
  expect([tools.length, skipped]).toEqual([6, []])
  const artifacts = memoryArtifacts()
  const call = (name: string, args: Record<string, unknown>) =>
    tools.find((tool) => tool.name === name)?.call({ model: 'local', ...args }, { artifacts })
  const storeImage = async (result: unknown): Promise<Artifact> => {
    const [{ b64_json }] = (result as { data: [{ b64_json: string }] }).data
    return artifacts.put(Buffer.from(b64_json, 'base64'), { kind: 'image', mediaType: 'image/png' })
  }

  const drawn = await storeImage(await call('generateImage', { prompt: 'a red boat', size: '64x64' }))
  const edited = await storeImage(
    await call('editImage', { image: drawn.id, mask: drawn.id, prompt: 'a blue boat', size: '64x64' }),
  )
  const varied = await call('varyImage', { image: edited.id, n: 2, size: '64x64' })
  expect((varied as { data: unknown[] }).data.length).toBe(2)

  const spoken = await call('speak', { input: 'Good morning.', format: 'wav' })
  expect(spoken).toMatchObject({ kind: 'audio', mediaType: 'audio/wav' })
  const file = isArtifact(spoken) ? spoken.id : ''
  expect(await call('transcribe', { file })).toMatchObject({ text: expect.stringMatching(/good morning/i) })
  expect(await call('translate', { file })).toMatchObject({ text: expect.stringMatching(/good morning/i) })
  expect(requested.map((path) => path.split('/').at(-1))).toEqual([
    ...['generations', 'edits', 'variations', 'speech', 'transcriptions', 'translations'],
  ])
})
