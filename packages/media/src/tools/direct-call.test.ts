import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent, memoryArtifacts, readArtifactBytes } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64, wav } from '../../test/artifacts.js'
import { calling } from '../../test/calling.js'
import { startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { editImage } from './edit-image.js'
import { generateImage } from './generate-image.js'
import { speak } from './speak.js'
import { transcribeAudio } from './transcribe-audio.js'
import { varyImage } from './vary-image.js'

const pictures = [png(64, 48, [255, 0, 0]), png(64, 48, [0, 0, 255])]
const twoImages = { body: { data: pictures.map((bytes) => ({ b64_json: base64(bytes) })) } }

test('results of a call without a store can be read, each any number of times', async () => {
  const { client } = await startMediaServer(() => twoImages)
  const { images } = await generateImage({ client }).call({ prompt: 'a cat', n: 2 })
  const [first] = images
  const bytes = await first?.read()
  bytes?.fill(0)
  expect(await Promise.all(images.map((one) => one.read()))).toEqual(pictures)
})

test('speech of a call without a store can be read, and transcribed', async () => {
  const { client, arrived } = await startMediaServer(({ path }) =>
    path.endsWith('speech')
      ? { body: wav(), headers: { 'content-type': 'audio/wav' } }
      : { body: { text: 'hello' } },
  )
  const { audio } = await speak({ client }).call({ input: 'Hello' })
  expect(await audio.read()).toEqual(wav())
  expect(await transcribeAudio({ client }).call({ file: audio })).toEqual({ text: 'hello' })
  expect(arrived[1]?.files.file?.bytes).toEqual(wav())
})

test('a result of a call without a store is an input of the next call, and keeps its origin', async () => {
  const { client, arrived } = await startMediaServer(() => twoImages)
  const { images } = await generateImage({ client }).call({ prompt: 'a cat' })
  const [, image] = images
  if (!image) throw new Error('Nothing was drawn.')
  const { images: edited } = await editImage({ client }).call({ image, prompt: 'a hat' })
  expect(arrived[1]?.files.image?.bytes).toEqual(pictures[1])
  expect(edited[0]?.parents).toEqual([image.id])
  const artifacts = memoryArtifacts()
  await varyImage({ client }).call({ image }, { artifacts })
  expect(await artifacts.stat(image.id)).toEqual({ ...image })
  expect(image.origin).toEqual({ prompt: 'a cat', model: 'gpt-image-1' })
})

test('with a store the bytes are read from it, as long as it has them', async () => {
  const { client } = await startMediaServer(() => twoImages)
  const artifacts = memoryArtifacts()
  for (const call of [
    () => generateImage({ client }).call({ prompt: 'a cat' }, { artifacts }),
    () => generateImage({ client, artifacts }).call({ prompt: 'a cat' }),
  ]) {
    const { images } = await call()
    const [first] = images
    expect(await first?.read()).toEqual(pictures[0])
    expect(await readArtifactBytes(artifacts, first?.id ?? '')).toEqual(pictures[0])
    await artifacts.delete(first?.id ?? '')
    await expect(first?.read()).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('JSON and copies are plain artifacts, and results of runs can be read', async () => {
  const { client } = await startMediaServer(() => twoImages)
  const generate = generateImage({ client })
  const artifacts = memoryArtifacts()
  const { images } = await generate.call({ prompt: 'a cat' }, { artifacts })
  const stored = await Promise.all(images.map(({ id }) => artifacts.stat(id)))
  expect(JSON.parse(JSON.stringify(images))).toEqual(stored)
  expect(structuredClone(images)).toEqual(stored)
  expect(Object.keys(images[0] ?? {})).not.toContain('read')
  expect(stored.every((one) => one && !('read' in one))).toBe(true)
  const model = calling({ name: 'generate_image', arguments: { prompt: 'a cat' } })
  const store = memoryArtifacts()
  const result = await new Agent({ model, tools: [generate], artifacts: store }).run('Go')
  expect(JSON.stringify(result.toolCalls)).not.toContain('read')
  for (const one of result.artifacts) expect(await one.read()).toEqual(await readArtifactBytes(store, one.id))
})

test('a copy of a result, or its id alone, is unknown to a call without a store', async () => {
  const { client } = await startMediaServer(() => twoImages)
  const { images } = await generateImage({ client }).call({ prompt: 'a cat' })
  const copies = images.flatMap((image) => [{ ...image }, image.id])
  for (const image of copies)
    await expect(editImage({ client }).call({ image, prompt: 'a hat' })).rejects.toMatchObject({
      code: 'not_found',
    })
})

const mega = 1024 * 1024

test('memory holds the bytes of reachable results only, and no inputs', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { client, arrived } = await startMediaServer(({ path }) =>
    path.endsWith('speech')
      ? { body: new Uint8Array(2 * mega).fill(1), headers: { 'content-type': 'audio/pcm' } }
      : { body: { data: [{ b64_json: base64(png(64, 48)) }] } },
  )
  const megabytes = () => process.memoryUsage().arrayBuffers / mega
  /** Collects garbage until memory is below a limit: streams and sockets release their buffers one after another. */
  const collectBelow = async (most: number) => {
    // The server keeps the files of its requests.
    for (const { files } of arrived)
      for (const name of Object.keys(files)) Reflect.deleteProperty(files, name)
    for (let round = 0; round < 50 && (round === 0 || megabytes() >= most); round++) {
      await new Promise(setImmediate)
      collect()
    }
    expect(megabytes()).toBeLessThan(most)
  }
  const large = new Uint8Array(2 * mega)
  large.set(png(64, 48))
  // What earlier tests left is released bit by bit as well.
  let before = Number.POSITIVE_INFINITY
  for (let [round, same] = [0, 0]; round < 20 && same < 3; round++) {
    await collectBelow(Number.POSITIVE_INFINITY)
    same = megabytes() < before ? 0 : same + 1
    before = Math.min(before, megabytes())
  }
  const heard = []
  for (let at = 0; at < 4; at++) heard.push((await speak({ client }).call({ input: 'Hello' })).audio)
  await collectBelow(before + 10)
  expect(megabytes()).toBeGreaterThan(before + 7)
  heard.length = 1
  await collectBelow(before + 4)
  heard.length = 0
  const edits = []
  for (let at = 0; at < 4; at++)
    edits.push(await editImage({ client }).call({ image: large, prompt: `hat ${at}` }))
  await collectBelow(before + 3)
  expect(await edits[0]?.images[0]?.read()).toEqual(png(64, 48))
})
