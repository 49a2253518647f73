import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRandomWhisper } from '../../test/write-random-whisper.js'
import { checkModel } from './check-model.js'

let folder: string
let model: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whisper-'))
  await writeRandomWhisper(join(folder, 'random.bin'))
  model = await readFile(join(folder, 'random.bin'))
})
afterAll(() => rm(folder, { recursive: true }))

test('accepts a valid model after reading it completely', async () => {
  expect(await checkModel(join(folder, 'random.bin'))).toEqual({ multilingual: true })
})

test.each<[string, (bytes: Buffer) => Buffer, string]>([
  ['an empty file', () => Buffer.alloc(0), 'ends too early'],
  ['a text', () => Buffer.from('hello '.repeat(1000)), 'does not begin like one'],
  ['a header alone', (bytes) => bytes.subarray(0, 48), 'ends too early'],
  ['a model that is cut', (bytes) => bytes.subarray(0, 4_000_000), 'ends too early'],
  ['a model that goes on', (bytes) => Buffer.concat([bytes, Buffer.alloc(100)]), 'a tensor is damaged'],
  ['a layer that is not there', (bytes) => withInt(bytes, 20, 5), 'tensors where its header asks for'],
  ['sizes that no model has', (bytes) => withInt(bytes, 12, -1), 'sizes that no model has'],
  ['other filters', (bytes) => withInt(bytes, 40, 128), 'filters have another size'],
  ['too many words', (bytes) => withInt(bytes, 56 + 80 * 201 * 4, 99_999), 'list of words'],
  [
    'convolutions in 32 bits',
    (bytes) => withInt(bytes, bytes.indexOf('encoder.conv1.weight') - 16, 0),
    '16-bit',
  ],
])('%s is refused', async (_, change, why) => {
  const path = join(folder, 'changed.bin')
  await writeFile(path, change(Buffer.from(model)))
  const failing = checkModel(path)
  await expect(failing).rejects.toMatchObject({ name: 'SpeechError', code: 'invalid_model' })
  await expect(failing).rejects.toThrow(why)
})

test('names a missing file', async () => {
  await expect(checkModel(join(folder, 'none.bin'))).rejects.toThrow(/cannot be opened.*none\.bin/)
})

function withInt(bytes: Buffer, at: number, value: number): Buffer {
  bytes.writeInt32LE(value, at)
  return bytes
}
