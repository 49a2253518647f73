import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { some } from '../../../../scripts/cases.mjs'
import { writePng } from '../../../formats/src/write-png.js'
import { Agent, type RunEvent, showImages, tool, without } from '../../src/index.js'
import { protocolNames, startWireServer } from './wire-server.js'

/** A JPEG whose preview, in a segment of its own, is smaller than it. */
function writeJpeg(width: number, height: number): Uint8Array {
  const segment = (type: number, body: readonly number[]) => [0xff, type, 0, body.length + 2, ...body]
  const sideOf = (side: number) => [side >> 8, side & 255]
  const frameOf = (sides: readonly number[]) =>
    segment(0xc0, [8, ...sides.flatMap(sideOf), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
  const preview = segment(0xe1, [0xff, 0xd8, ...frameOf([90, 120])])
  return Uint8Array.from([0xff, 0xd8, ...preview, ...frameOf([height, width]), 0xff, 0xd9])
}

/** Numbers of some bytes, the lowest first. */
const low = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, at) => (value >> (8 * at)) & 255)
const gifOf = (width: number, height: number) => [
  ...Buffer.from('GIF89a'),
  ...low(width, 2),
  ...low(height, 2),
  0,
  0,
  0,
]
const webpOf = (chunk: string, ...body: readonly number[]) => [
  ...[
    ...Buffer.from('RIFF'),
    ...low(12 + body.length, 4),
    ...Buffer.from(`WEBP${chunk}`),
    ...low(body.length, 4),
    ...body,
  ],
]

/** The formats, as they begin: behind it, each file has other bytes, since equal files are one artifact. */
const formats = {
  jpeg: writeJpeg,
  gif: gifOf,
  // A scale is in the two bits above each size.
  'webp, lossy': (width: number, height: number) =>
    webpOf('VP8 ', 0x10, 0, 0, 0x9d, 0x01, 0x2a, ...low(width + 0x4000, 2), ...low(height + 0x8000, 2)),
  'webp, lossless': (width: number, height: number) =>
    webpOf('VP8L', 0x2f, ...low(width - 1 + (height - 1) * 2 ** 14 + 2 ** 28, 4)),
  'webp, extended': (width: number, height: number) =>
    webpOf('VP8X', 0x10, 0, 0, 0, ...low(width - 1, 3), ...low(height - 1, 3)),
} as const

const writers = Object.fromEntries(
  Object.entries(formats).map(([name, headOf]) => [
    name,
    (width: number, height: number) => Uint8Array.from([...headOf(width, height), ...randomBytes(8)]),
  ]),
)
const write = (type: string, width: number, height: number) =>
  writers[type]?.(width, height) ?? writePng({ width, height, rows: randomBytes(8) })

/** Counts as a server that makes larger pictures smaller. */
const countedBy = (width: number, height: number) => Math.min(1600, (width * height) / 750)

describe.each(protocolNames)('%s', (protocol) => {
  test.each(
    some(
      [
        ['png', 64, 64],
        ['png', 640, 480],
        ['jpeg', 1024, 768],
        ['jpeg', 4000, 3000],
        ['gif', 320, 200],
        ['gif', 1600, 1200],
        ['webp, lossy', 640, 480],
        ['webp, lossless', 1000, 300],
        ['webp, extended', 3000, 2000],
      ] as const,
      protocol === 'chatModel' ? 1 : 4,
    ),
  )('counts twenty pictures as the server does: %s of %i x %i', async (type, width, height) => {
    await using server = await startWireServer({
      say: () => ({ text: 'I have seen them.' }),
      countPicture: () => countedBy(width, height),
    })
    const files = Array.from({ length: 20 }, () => write(type, width, height))
    // Attached, or as parts of the message.
    const parts = files.map((bytes) => ({
      type: 'image_url',
      image_url: { url: `data:image/${type.split(',')[0]};base64,${Buffer.from(bytes).toString('base64')}` },
    }))
    const message = { role: 'user', content: [{ type: 'text', text: 'Look.' }, ...parts] } as const
    const input = type === 'png' ? 'Look.' : [message]
    const attachments = type === 'png' ? files : []
    const run = async (contextTokens: number) => {
      const events: RunEvent[] = []
      const agent = new Agent({ model: server.model(protocol, { contextTokens, vision: true }) })
      const options = { attachments, observe: (event: RunEvent) => events.push(event) }
      const result = await agent.run(input, options).catch((error: unknown) => error)
      return { result, over: events.filter((event) => event.type === 'context-over') }
    }
    const wide = await run(100_000)
    expect(wide.over).toEqual([])
    const counted = server.answered[0]?.tokens ?? 0
    expect(counted).toBeGreaterThan(20 * countedBy(width, height))
    // Of a window that is half as large the estimate is told.
    const narrow = await run(Math.max(512, Math.floor(counted / 2)))
    const [{ tokens = 0 } = {}] = narrow.over as readonly { readonly tokens?: number }[]
    // No server counts fewer than 85 for a small one.
    const least = Math.max(counted, 20 * 85)
    expect(tokens / least).toBeGreaterThan(0.85)
    expect(tokens / least).toBeLessThan(1.15)
    expect(narrow.result).toMatchObject({ code: 'context_length_exceeded' })
    expect(server.answered).toHaveLength(1)
  })
})

test('a picture of an unknown size counts as a thousand tokens', async () => {
  await using server = await startWireServer({ say: () => ({ text: 'I have seen them.' }) })
  const events: RunEvent[] = []
  const agent = new Agent({ model: server.model('chatModel', { contextTokens: 5000, vision: true }) })
  const webp = () => Uint8Array.from([...Buffer.from('RIFF....WEBPVP9 '), ...randomBytes(40)])
  const options = { attachments: [webp(), webp(), webp(), webp(), webp()] }
  const failed = agent.run('Look.', { ...options, observe: (event) => events.push(event) })
  await expect(failed).rejects.toMatchObject({ code: 'context_length_exceeded' })
  const over = events.find((event) => event.type === 'context-over')
  expect(over?.tokens).toBeGreaterThan(5000)
  expect(over?.tokens).toBeLessThan(5200)
})

test('pictures that cost little on their server are not left out early', async () => {
  const look = tool({
    name: 'look',
    description: 'Looks out of the window',
    parameters: z.object({}),
    show: true,
    execute: (_args, { artifacts }) =>
      artifacts.put(write('png', 1000, 750), { kind: 'image', mediaType: 'image/png' }),
  })
  await using server = await startWireServer({
    say: ({ turn }) => (turn < 40 ? { calls: [{ name: 'look', arguments: {} }] } : { text: 'A harbour.' }),
    countPicture: () => 85,
  })
  const events: RunEvent[] = []
  const agent = new Agent({
    model: server.model('chatModel', { contextTokens: 20_000, vision: true }),
    tools: [look],
    middleware: [showImages(), without('stuck-detection')],
    limits: { steps: 50 },
    observe: (event) => events.push(event),
  })
  expect((await agent.run('Watch.')).stopReason).toBe('done')
  expect(server.answered.at(-1)?.tokens).toBeGreaterThan(40 * 85)
  expect(events.filter(({ type }) => type === 'context-trimmed')).toEqual([])
})
