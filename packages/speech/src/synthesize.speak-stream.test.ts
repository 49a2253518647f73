import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { audioFormats, createEncoder, encode } from './encode/create-encoder.js'
import { speakStream, synthesize } from './synthesize.js'
import { join } from './wav.js'

const text = 'The quick brown fox jumps over the lazy dog. It rains in Paris. Good night.'

async function streamsTheWhole(format: string): Promise<void> {
  const { samples, sampleRate } = await synthesize({ text, voice: 'kal' })
  const encoder = await createEncoder(format, sampleRate)
  const whole = join([encoder.encode(samples), encoder.finish()], Uint8Array)
  const streamed = await collect(speakStream({ text, voice: 'kal', format }))
  expect(Buffer.compare(join(streamed, Uint8Array), whole)).toBe(0)
}

const [first = 'wav', ...others] = Object.keys(audioFormats)
test.each([first, 'mp3'])('a stream of %s has the bytes of the whole speech', streamsTheWhole)
slowTest.each(others.filter((format) => format !== 'mp3'))(
  'a stream of %s has the bytes of the whole speech',
  streamsTheWhole,
)

test('the default stream is a wav without a length', async () => {
  const [first = new Uint8Array(44)] = await collect(speakStream({ text: 'Hello.' }))
  expect(Buffer.from(first).toString('latin1', 0, 4)).toBe('RIFF')
  expect(new DataView(first.buffer).getUint32(40, true)).toBe(2 ** 32 - 1)
})

test('yields the first bytes after the first sentence', async () => {
  const long = `${text} `.repeat(500)
  const stream = speakStream({ text: long, voice: 'kal16', format: 'pcm' })
  const { value: first = new Uint8Array() } = await stream.next()
  const fox = await synthesize({ text: 'The quick brown fox jumps over the lazy dog.', voice: 'kal16' })
  const sentence = await encode(fox, 'pcm')
  expect(first.length).toBeGreaterThan(sentence.length / 2)
  expect(Buffer.compare(first, sentence.subarray(0, first.length))).toBe(0)
  await stream.return()
})

slowTest('1 600 words are spoken in the memory of a sentence', { timeout: 120_000 }, async () => {
  const long = `${text} `.repeat(107)
  expect(long.split(' ').length).toBeGreaterThan(1600)
  const before = process.memoryUsage().rss
  let most = 0
  let size = 0
  for await (const bytes of speakStream({ text: long, voice: 'kal', format: 'pcm' })) {
    size += bytes.length
    most = Math.max(most, process.memoryUsage().rss - before)
  }
  const seconds = size / 2 / 8000
  expect(seconds).toBeGreaterThan(400)
  expect(most).toBeLessThan(300_000_000)
})

test('an abort ends the stream with its reason', async () => {
  const controller = new AbortController()
  const stream = speakStream({ text, format: 'pcm', signal: controller.signal })
  await stream.next()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(stream.next()).rejects.toBe(reason)
})

test('an invalid option fails at the first step', async () => {
  await expect(speakStream({ text, format: 'opus' }).next()).rejects.toMatchObject({
    code: 'unsupported_format',
  })
  await expect(speakStream({ text, voice: 'zoe' }).next()).rejects.toMatchObject({ code: 'unknown_voice' })
})

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return parts
}
