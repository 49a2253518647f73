import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  writeTinyKokoro,
  writeTinyMoonshine,
  writeTinyMoonshine2,
  writeTinyVoice,
  writeTinyWhisper,
} from '../../test/write-tiny-models.js'
import { findRecognizer, findVoice } from './model-folder.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a voice is described by its own facts', async () => {
  await writeTinyVoice(folder)
  expect(await findVoice(folder)).toMatchObject({
    kind: 'vits',
    files: { model: 'tiny.onnx', tokens: 'tokens.txt' },
    sampleRate: 16_000,
    speakers: [
      { name: '0', language: 'en-us' },
      { name: '1', language: 'en-us' },
    ],
  })
})

test('a Whisper in 8 bits is preferred, and its languages are known', async () => {
  await writeTinyWhisper(folder)
  for (const part of ['encoder', 'decoder'])
    await writeFile(join(folder, `tiny-${part}.int8.onnx`), await readFile(join(folder, `tiny-${part}.onnx`)))
  expect(await findRecognizer(folder)).toMatchObject({
    kind: 'whisper',
    files: {
      encoder: 'tiny-encoder.int8.onnx',
      decoder: 'tiny-decoder.int8.onnx',
      tokens: 'tiny-tokens.txt',
    },
    languages: ['en', 'fr'],
  })
})

test.each([
  [writeTinyVoice, findVoice, 'tokens.txt'],
  [writeTinyKokoro, findVoice, 'voices.bin'],
  [writeTinyKokoro, findVoice, 'espeak-ng-data/phontab'],
  [writeTinyWhisper, findRecognizer, 'tiny-decoder.onnx'],
  [writeTinyMoonshine, findRecognizer, 'preprocess.onnx'],
  [writeTinyMoonshine2, findRecognizer, 'encoder_model.onnx'],
])('%o without a file names it', async (write, find, name) => {
  await write(folder)
  await rm(join(folder, name))
  const finding = find(folder)
  await expect(finding).rejects.toMatchObject({ name: 'SpeechError', code: 'invalid_model' })
  await expect(finding).rejects.toThrow(`${name} is missing`)
})

test('a Piper voice needs the data of eSpeak NG', async () => {
  await writeTinyVoice(folder, { frontend: '', comment: 'piper' })
  await expect(findVoice(folder)).rejects.toThrow('espeak-ng-data/phontab is missing')
})

test('a link that leads out of the folder is refused', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'outside-'))
  await writeTinyVoice(folder)
  await rename(join(folder, 'tokens.txt'), join(outside, 'tokens.txt'))
  await symlink(join(outside, 'tokens.txt'), join(folder, 'tokens.txt'))
  await expect(findVoice(folder)).rejects.toThrow('tokens.txt is a link to a file outside')
  await rm(outside, { recursive: true })
})

test('a folder with nothing, or with two models, is refused', async () => {
  await expect(findVoice(join(folder, 'none'))).rejects.toMatchObject({ code: 'invalid_model' })
  await expect(findVoice(folder)).rejects.toThrow('no file ending in .onnx')
  await expect(findRecognizer(folder)).rejects.toThrow('NAME-encoder.onnx')
  await writeTinyWhisper(folder)
  await expect(findVoice(folder)).rejects.toThrow('several files (tiny-decoder.onnx, tiny-encoder.onnx)')
  await writeFile(join(folder, 'base-encoder.onnx'), '')
  await expect(findRecognizer(folder)).rejects.toThrow('several models (base, tiny)')
})

test('a file in place of a folder is refused', async () => {
  await writeTinyVoice(folder)
  await expect(findVoice(join(folder, 'tiny.onnx'))).rejects.toThrow('Pass the folder that contains it')
})

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['a text', () => Buffer.from('hello '.repeat(1000))],
  ['an empty file', () => Buffer.alloc(0)],
  ['a file that is cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
])('%s in place of a network is refused', async (_, change) => {
  await writeTinyVoice(folder)
  const path = join(folder, 'tiny.onnx')
  await writeFile(path, change(await readFile(path)))
  await expect(findVoice(folder)).rejects.toMatchObject({ code: 'invalid_model' })
})

test('a voice without its facts is refused', async () => {
  await writeTinyVoice(folder, { sample_rate: 'many' })
  await expect(findVoice(folder)).rejects.toThrow('does not contain its sample rate')
})
