import * as bunny from 'mediabunny'
import { parseBuffer } from 'music-metadata'
import { expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { packetsOf, recordingIn, storeWith } from '../../test/recordings.js'
import { type PackedContainer, packedFormats, packetChunks } from './packet-chunks.js'
import type { Chunk } from './plan-chunks.js'

const containers = Object.keys(packedFormats) as PackedContainer[]

async function cutUp(
  bytes: Uint8Array,
  container: PackedContainer,
  size: { maxBytes?: number; maxSeconds?: number },
) {
  const { recording } = await storeWith(bytes, packedFormats[container].mediaType)
  const limits = { maxBytes: 25e6, maxSeconds: 600, ...size }
  const chunks = await packetChunks(recording, container, { bunny, size: limits })
  if (!chunks) throw new Error('no sound')
  const all: Chunk[] = []
  for await (const chunk of chunks.each()) all.push(chunk)
  return { pieces: chunks, all }
}

const contentOf = async ({ file }: Chunk) => new Uint8Array(await file.arrayBuffer())

test.each(some(containers, 2))('%s: chunks keep every packet and can be decoded', async (container) => {
  const bytes = await recordingIn(container)
  const original = await packetsOf(bytes)
  const { pieces: chunks, all } = await cutUp(bytes, container, { maxSeconds: 12 })
  expect(chunks.seconds).toBeCloseTo(30, 0)
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: chunks.of }, (_, i) => i + 1))
  expect(chunks.of).toBeGreaterThan(2)
  let covered = 0
  for (const chunk of all) {
    const { file, number, seconds, at, overlaps } = chunk
    expect(file.type).toBe(packedFormats[container].mediaType)
    expect(file.name).toMatch(new RegExp(`^aud_.*-${number}\\.${container}$`))
    expect(seconds).toBeLessThanOrEqual(12.001)
    const content = await contentOf(chunk)
    const { format } = await parseBuffer(content, undefined, { duration: true })
    if (container !== 'flac') expect(Math.abs((format.duration ?? 0) - seconds)).toBeLessThan(0.2)
    const packets = await packetsOf(content)
    const start = original.findIndex(({ timestamp, duration }) => duration > 0 && timestamp >= at - 1e-6)
    const begin = number === 1 ? 0 : start
    expect(overlaps ? begin < covered : begin === covered).toBe(true)
    expect(packets.length).toBeGreaterThan(0)
    expect(
      packets.every(({ data }, i) => Buffer.from(data).equals(original[begin + i]?.data ?? Buffer.of())),
    ).toBe(true)
    covered = begin + packets.length
  }
  expect(covered).toBe(original.length)
})

test('splits at pauses where silence takes fewer bytes', async () => {
  const { all } = await cutUp(await recordingIn('flac'), 'flac', { maxSeconds: 12 })
  for (const { overlaps, at } of all.slice(1)) {
    expect(overlaps).toBe(false)
    expect(Math.abs((at % 4) - 3.75)).toBeLessThan(0.35)
  }
})

test('overlaps chunks where all packets have the same size', async () => {
  const { all } = await cutUp(await recordingIn('mp3'), 'mp3', { maxSeconds: 12 })
  for (const [i, { overlaps, at }] of all.entries()) {
    const before = all[i - 1]
    if (!before) continue
    expect(overlaps).toBe(true)
    expect(before.at + before.seconds - at).toBeGreaterThan(1.5)
  }
})

test.each(containers)('%s: keeps each chunk within the byte limit', async (container) => {
  const bytes = await recordingIn(container)
  const maxBytes = Math.round(bytes.length / 2)
  const { all } = await cutUp(bytes, container, { maxBytes })
  expect(all.length).toBeGreaterThan(1)
  for (const { file } of all) expect(file.size).toBeLessThanOrEqual(maxBytes)
})

test('returns no chunks without audio', async () => {
  const { recording } = await storeWith(Uint8Array.from([0xff, 0xfb, 0x90, 0x64, 0, 0]), 'audio/mpeg')
  const size = { maxBytes: 25e6, maxSeconds: 600 }
  expect(await packetChunks(recording, 'mp3', { bunny, size })).toBeUndefined()
})
