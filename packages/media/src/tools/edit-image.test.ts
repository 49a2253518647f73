import { Agent, memoryArtifacts, safeRepair } from '@capstan/core'
import { decode } from 'fast-png'
import { expect, test } from 'vitest'
import { base64, bytesOf, filledStore } from '../../test/artifacts.js'
import { calling } from '../../test/calling.js'
import { startMediaServer, testKey } from '../../test/media-server.js'
import { clearPng, png } from '../../test/png.js'
import { editImage } from './edit-image.js'

const edited = { body: { data: [{ b64_json: base64(png(64, 48, [0, 0, 255])) }] } }

test('sends image, mask and prompt as a form with named and typed files', async () => {
  const { store, image } = await filledStore()
  const mask = await store.put(clearPng(64, 48), { kind: 'image', mediaType: 'image/png' })
  const server = await startMediaServer(() => edited)
  const { images, note } = await editImage({ client: server.client }).call(
    { image: image.id, mask: mask.id, prompt: 'a blue hat', size: '64x48' },
    { artifacts: store },
  )
  const [request] = server.arrived
  expect(request?.path).toBe('/v1/images/edits')
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${testKey}`,
    'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/),
  })
  expect(request?.fields).toEqual({ model: 'gpt-image-1', prompt: 'a blue hat', size: '64x48' })
  expect(request?.files).toEqual({
    image: { name: `${image.id}.png`, type: 'image/png', bytes: await bytesOf(store, image) },
    mask: { name: `${mask.id}.png`, type: 'image/png', bytes: await bytesOf(store, mask) },
  })
  const parents = [image.id, mask.id]
  const origin = { model: 'gpt-image-1', prompt: 'a blue hat' }
  expect(images).toMatchObject([{ kind: 'image', width: 64, height: 48, origin, parents }])
  expect(note).toBeUndefined()
})

test('converts white marks to transparent ones, and reports it', async () => {
  const { store, image, mask } = await filledStore()
  const server = await startMediaServer(() => edited)
  const { note, images } = await editImage({ client: server.client }).call(
    { image: image.id, mask: mask.id, prompt: 'a hat' },
    { artifacts: store },
  )
  const sent = server.arrived[0]?.files.mask?.bytes ?? new Uint8Array()
  expect(decode(sent)).toMatchObject({ width: 64, height: 48, channels: 4 })
  expect(decode(sent).data.every((value) => value === 0)).toBe(true)
  expect(note).toBe(`The white part of the mask ${mask.id} was used as the region to change.`)
  const [converted] = images[0]?.parents?.slice(1) ?? []
  expect(await store.stat(converted ?? '')).toMatchObject({ parents: [mask.id] })
})

const region = { boxes: [{ x: 0.5, y: 0, width: 0.5, height: 1 }] }

test('creates a mask from a region, which the parents of the result name', async () => {
  const { store, image } = await filledStore()
  const server = await startMediaServer(() => edited)
  const result = await editImage({ client: server.client, dialect: { mask: 'white' } }).call(
    { image: image.id, prompt: 'a hat', region },
    { artifacts: store },
  )
  const { data, channels } = decode(server.arrived[0]?.files.mask?.bytes ?? new Uint8Array())
  expect(channels).toBe(1)
  expect([data[31], data[32]]).toEqual([0, 255])
  expect(Object.keys(result)).toEqual(['images'])
  const [first, mask = ''] = result.images[0]?.parents ?? []
  expect(first).toBe(image.id)
  expect(await store.stat(mask)).toMatchObject({ kind: 'image', width: 64, height: 48, parents: [image.id] })
})

test.each([
  ['a region', { region }],
  ['a white mask', { mask: true }],
])(
  'a mask made for %s is no artifact of the run, and the model reads no reference to it',
  async (_, given) => {
    const { store, image, mask } = await filledStore()
    const server = await startMediaServer(() => edited)
    const tool = editImage({ client: server.client })
    const masked = 'mask' in given ? { mask: mask.id } : given
    const model = calling(
      { name: 'edit_image', arguments: { image: image.id, prompt: 'a hat', ...masked } },
      { name: 'edit_image', arguments: { image: 'img_unknown2', prompt: 'a hat' } },
    )
    const result = await new Agent({ model, tools: [tool], artifacts: store }).run('Go')
    const [edit, failed] = result.toolCalls
    expect([edit?.status, failed?.status]).toEqual(['ok', 'error'])
    const [made] = result.artifacts
    const sent = made?.parents?.at(-1) ?? ''
    expect(await store.stat(sent)).toMatchObject({ kind: 'image', width: 64, height: 48 })
    expect([sent === image.id, sent === mask.id]).toEqual([false, false])
    expect(result.artifacts).toHaveLength(1)
    expect(failed?.content).toContain(`The newest are: ${made?.id}, `)
    expect(JSON.stringify(result.messages)).not.toContain(sent)
  },
)

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'rejects a region with %s before sending, with the size of the image',
  async (x) => {
    const { store, image } = await filledStore()
    const server = await startMediaServer(() => edited)
    const wrong = { boxes: [{ x, y: 0, width: 9, height: 9 }] }
    const asked = editImage({ client: server.client }).call(
      { image: image.id, prompt: 'a hat', region: wrong },
      { artifacts: store },
    )
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_arguments',
      message:
        '"region" box 1 has a number that is not finite. The image is 64x48 pixels. Use boxes inside it.',
    })
    expect(server.arrived).toEqual([])
  },
)

test.each(['1', null, undefined])('rejects a region with %j for a number', async (x) => {
  const wrong = { boxes: [{ x: x as unknown as number, y: 0, width: 9, height: 9 }] }
  const asked = editImage().call({ image: 'img_unknown2', prompt: 'a hat', region: wrong })
  await expect(asked).rejects.toThrow(
    'Invalid arguments for "edit_image": region: x, y, width and height must be numbers',
  )
})

test('coerces a number in a text where the agent repairs arguments', async () => {
  const { store, image } = await filledStore()
  const server = await startMediaServer(() => edited)
  const boxes = [{ x: '32', y: 0, width: 32, height: '48' }]
  const model = calling({
    name: 'edit_image',
    arguments: { image: image.id, prompt: 'a hat', region: { boxes } },
  })
  const tools = [editImage({ client: server.client })]
  const { toolCalls } = await new Agent({ model, tools, artifacts: store, repair: safeRepair }).run('Go')
  expect(toolCalls).toMatchObject([{ status: 'ok', repaired: true }])
})

test('the model sees a region in plain numbers', () => {
  const { properties } = editImage().definition.function.parameters as { properties: { region: object } }
  const number = { type: 'number' }
  expect(properties.region).toMatchObject({
    properties: {
      boxes: {
        items: {
          properties: { x: number, y: number, width: number, height: number },
          required: ['x', 'y', 'width', 'height'],
        },
      },
    },
  })
})

test('rejects a mask together with a region', async () => {
  const { store, image, mask } = await filledStore()
  const asked = editImage().call({ image, mask, region, prompt: 'a hat' }, { artifacts: store })
  await expect(asked).rejects.toThrow('Pass a mask or a region, not both.')
})

test('sends no mask without one', async () => {
  const { store, image } = await filledStore()
  const server = await startMediaServer(() => edited)
  await editImage({ client: server.client, models: { edit: 'flux-fill' } }).call(
    { image: image.id, prompt: 'brighter' },
    { artifacts: store },
  )
  expect(server.arrived[0]?.fields).toEqual({ model: 'flux-fill', prompt: 'brighter' })
  expect(Object.keys(server.arrived[0]?.files ?? {})).toEqual(['image'])
})

test('rejects a mask of another size before sending', async () => {
  const { store, image, smallMask } = await filledStore()
  const server = await startMediaServer(() => edited)
  const asked = editImage({ client: server.client }).call(
    { image: image.id, mask: smallMask.id, prompt: 'a hat' },
    { artifacts: store },
  )
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('is 32x32 pixels, but the image is 64x48'),
  })
  expect(server.arrived).toEqual([])
})

test('answers an id of another kind with the ids of images', async () => {
  const { store, image, mask, smallMask, recording } = await filledStore()
  const tool = editImage({ client: { baseURL: 'http://localhost:1/v1', apiKey: 'unused' } })
  const newest = [smallMask, mask, image].map(({ id }) => id).join(', ')
  await expect(
    tool.call({ image: 'img_unknown2', prompt: 'a hat' }, { artifacts: store }),
  ).rejects.toMatchObject({
    code: 'not_found',
    message: `No artifact "img_unknown2": "image" takes the id of an image that a tool returned or that was attached. The newest are: ${newest}.`,
  })
  const wrongKind = { image: image.id, mask: recording.id as `img_${string}`, prompt: 'a hat' }
  await expect(tool.call(wrongKind, { artifacts: store })).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining(`"${recording.id}" is audio, not image: "mask" takes`),
  })
})

test('lists at most five ids', async () => {
  const store = memoryArtifacts()
  for (let width = 1; width <= 7; width++)
    await store.put(png(width, 1), { kind: 'image', mediaType: 'image/png' })
  const asked = editImage().call({ image: 'img_unknown2', prompt: 'a hat' }, { artifacts: store })
  const message = await asked.catch(String)
  expect(String(message).match(/img_[a-z2-7]{8}/g)).toHaveLength(5 + 1)
})

test('gives advice without a list if the store cannot list', async () => {
  const store = { ...memoryArtifacts(), list: async () => Promise.reject(new Error('write only')) }
  const asked = editImage().call({ image: 'img_unknown2', prompt: 'a hat' }, { artifacts: store })
  await expect(asked).rejects.toThrow('Use the id exactly as it was returned.')
})

test('says to make an image if there is none', async () => {
  const asked = editImage().call({ image: 'img_unknown2', prompt: 'a hat' })
  await expect(asked).rejects.toThrow('None exists yet: make an image first, or ask for one.')
})
