import { expect, test } from 'vitest'
import { base64, bytesOf, filledStore } from '../../test/artifacts.js'
import { startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { varyImage } from './vary-image.js'

test('sends image and numbers as a form, and returns each variation in order', async () => {
  const { store, image } = await filledStore()
  const data = [png(10, 10), png(11, 11)].map((bytes) => ({ b64_json: base64(bytes) }))
  const server = await startMediaServer(() => ({ body: { created: 1, data } }))
  const { images } = await varyImage({ client: server.client }).call(
    { image: image.id, n: 2, size: '256x256' },
    { artifacts: store },
  )
  expect(server.arrived[0]?.path).toBe('/v1/images/variations')
  expect(server.arrived[0]?.fields).toEqual({ model: 'dall-e-2', n: '2', size: '256x256' })
  expect(server.arrived[0]?.files).toEqual({
    image: { name: `${image.id}.png`, type: 'image/png', bytes: await bytesOf(store, image) },
  })
  expect(images.map(({ width }) => width)).toEqual([10, 11])
})
