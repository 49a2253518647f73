import { reply, scriptedModel } from '@capstan/testing'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isLong } from '../../../../../scripts/cases.mjs'
import { readArtifactBytes } from '../../artifacts/memory-artifacts.js'
import { Agent } from '../../index.js'
import { jsonSchema } from '../../tools/json-schema.js'
import { type ToolSettings, tool } from '../../tools/tool.js'
import type { RunEvent } from '../../types/event.js'
import type { Limits } from '../../types/state.js'

const pngOf = (length: number) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 7919) % 251
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return bytes
}
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const wrapped = (encoded: string, width: number) =>
  encoded.match(new RegExp(`.{1,${width}}`, 'g'))?.join('\n')

/** Runs an agent whose tool returns a value. Returns the call, what the model got, and the run's events. */
async function returning(value: unknown, settings: ToolSettings = {}, limits: Limits = {}) {
  const parameters = jsonSchema({ type: 'object' })
  const look = tool({ name: 'look', description: 'Looks.', parameters, execute: () => value, ...settings })
  const model = scriptedModel([reply.call('look'), reply.text('Seen.')])
  const events: RunEvent[] = []
  const agent = new Agent({ model, tools: [look], limits, observe: (event) => events.push(event) })
  const result = await agent.run('Look.')
  const [made] = result.toolCalls
  return {
    agent,
    result,
    made,
    events,
    artifacts: result.artifacts,
    read: String(model.requests[1]?.messages.at(-1)?.content),
  }
}

const png = pngOf(3000)
const shown = /^img_[a-z2-7]+ \(image\/png, 3000 bytes\)$/

test.each<[string, string]>([
  ['base64', base64(png)],
  ['base64 without padding', base64(pngOf(3001)).replace(/=+$/, '')],
  ['a data: URL', `data:image/png;base64,${base64(png)}`],
  ['a data: URL with parameters', `data:image/png;charset=utf-8;base64,${base64(png)}`],
  ['a data: URL with a name', `data:image/png;name=${'my%20'.repeat(20)}cat.png;base64,${base64(png)}`],
  ['a data: URL without a type', `data:;base64,${base64(png)}`],
  [
    'a data: URL with the alphabet of URLs',
    `data:image/png;base64,${Buffer.from(png).toString('base64url')}`,
  ],
  ['a data: URL with escapes', `data:image/png;base64,${encodeURIComponent(base64(png))}`],
  [
    'a data: URL of escaped bytes',
    `data:image/png,${Buffer.from(png).toString('hex').replace(/../g, '%$&')}`,
  ],
  ['base64 in lines', wrapped(base64(png), 76) ?? ''],
])('a PNG as %s becomes an artifact', async (_form, encoded) => {
  const { agent, made, events, artifacts, read } = await returning(encoded)
  const [artifact] = artifacts
  expect(artifact).toMatchObject({ kind: 'image', mediaType: 'image/png', origin: { tool: 'look' } })
  expect(read).toMatch(/^img_[a-z2-7]+ \(image\/png, 300[01] bytes\)$/)
  expect(made).toMatchObject({ content: read, result: read })
  const stored = await readArtifactBytes(agent.artifacts, artifact?.id ?? '')
  expect(Buffer.from(stored).subarray(0, 3000).equals(png.subarray(0, 3000))).toBe(true)
  const types = events.map(({ type }) => type)
  expect(types.filter((type) => type === 'artifact-stored')).toHaveLength(1)
  expect(types.indexOf('artifact-stored')).toBeLessThan(types.indexOf('tool-end'))
  expect(JSON.stringify(events)).not.toContain(base64(png).slice(0, 200))
})

test.each<[string, readonly number[], string, string]>([
  ['JPEG', [0xff, 0xd8, 0xff, 0xe0], 'image/jpeg', 'image'],
  ['GIF', [...Buffer.from('GIF89a')], 'image/gif', 'image'],
  ['WAV', [...Buffer.from('RIFF\0\0\0\0WAVE')], 'audio/wav', 'audio'],
  ['PDF', [...Buffer.from('%PDF-1.7')], 'application/pdf', 'file'],
  ['MP3 with a tag', [...Buffer.from('ID3')], 'audio/mpeg', 'audio'],
  ['a document of an office program', [...Buffer.from('PK\x03\x04\x14')], 'application/zip', 'file'],
])('%s is recognized by its first bytes', async (_name, magic, mediaType, kind) => {
  const bytes = pngOf(2000)
  bytes.set(magic)
  for (const text of [base64(bytes), `It is ${Buffer.from(bytes).toString('base64url')} here.`]) {
    const { artifacts } = await returning(text)
    expect(artifacts).toMatchObject([{ mediaType, kind, size: 2000 }])
  }
})

test('the text around base64 stays, and several files become several artifacts', async () => {
  const other = pngOf(2000)
  const { artifacts, read } = await returning(
    `Two images:\n${wrapped(base64(png), 64)}\nand data:image/png;base64,${base64(other)}.\nDone.`,
  )
  expect(artifacts).toHaveLength(2)
  expect(read).toMatch(
    /^Two images:\nimg_\w+ \(image\/png, 3000 bytes\)\nand img_\w+ \(image\/png, 2000 bytes\)\.\nDone\.$/,
  )
})

test.each([
  ['on two lines', (one: string, other: string) => `${one}\n${other}`, 2],
  ['wrapped', (one: string, other: string) => `${wrapped(one, 76)}\n${wrapped(other, 76)}`, 2],
  ['after its hash', (one: string) => `${'ab12'.repeat(16)}\n${one}`, 1],
  ['before a longer line', (one: string) => `${wrapped(one, 60)}\n${'x'.repeat(70)}`, 1],
])('no file of one stretch of base64 is overlooked: %s', async (_name, toText, count) => {
  const { artifacts, read } = await returning(toText(base64(pngOf(2700)), base64(pngOf(2100))))
  expect(artifacts.map(({ size }) => size)).toEqual([2700, 2100].slice(0, count))
  expect(read.match(/img_\w+ \(image\/png, \d+ bytes\)/g)).toHaveLength(count)
  expect(read.length).toBeLessThan(150)
})

test('an error has no base64 either', async () => {
  const execute = () => {
    throw new Error(`Cannot send data:image/png;base64,${base64(png)}.`)
  }
  const { made, events, artifacts, read } = await returning('', { execute } as ToolSettings)
  expect(made?.status).toBe('error')
  expect(read).toMatch(/^Error: Cannot send img_\w+ \(image\/png, 3000 bytes\)\.$/)
  expect(artifacts).toMatchObject([{ size: 3000, origin: { tool: 'look' } }])
  expect(JSON.stringify(events)).not.toContain(base64(png).slice(0, 200))
})

test('base64 within a value becomes a text of the same field', async () => {
  const given = {
    city: 'Oslo',
    views: [{ image: base64(png), at: 3 }],
    __proto__: null,
    lines: wrapped(base64(png), 76),
  }
  const { made, artifacts, read } = await returning(given)
  const result = made?.result as { city: string; views: { image: string; at: number }[]; lines: string }
  expect(result).toMatchObject({ city: 'Oslo', views: [{ at: 3 }] })
  expect(result.views[0]?.image).toMatch(shown)
  expect(result.lines).toMatch(shown)
  expect(JSON.parse(read)).toEqual(result)
  expect(artifacts).toHaveLength(1)
})

test('a name of a field in a value is replaced as well', async () => {
  const { made, read } = await returning({ [`data:image/png;base64,${base64(png)}`]: 1 })
  expect(made).toMatchObject({ content: read, result: JSON.parse(read) })
  expect(Object.keys(JSON.parse(read))).toEqual([expect.stringMatching(shown)])
})

const drawing = `<svg xmlns="http://www.w3.org/2000/svg">${'<rect/>'.repeat(200)}</svg>`

test.each([
  [(url: string) => url, (id: string) => id],
  [(url: string) => ({ image: url }), (id: string) => JSON.stringify({ image: id })],
])('a picture that is escaped text becomes an artifact when it is a whole text', async (make, told) => {
  const { agent, artifacts, read } = await returning(
    make(`data:image/svg+xml,${encodeURIComponent(drawing)}`),
  )
  const [artifact] = artifacts
  expect(artifact).toMatchObject({ mediaType: 'image/svg+xml' })
  expect(read).toBe(told(`${artifact?.id} (image/svg+xml, ${drawing.length} bytes)`))
  expect(String(Buffer.from(await readArtifactBytes(agent.artifacts, artifact?.id ?? '')))).toBe(drawing)
})

test.each([
  ['a URL in prose', `See data:image/svg+xml,${encodeURIComponent(drawing)} for it.`],
  ['a text that only begins like a URL', `data:text/plain,${'words '.repeat(400)}`],
  ['a wrong escape', `data:image/png;base64,${'%ZZ-_'.repeat(400)}`],
  ['no base64', `data:image/png;base64,${'a=b-'.repeat(400)}`],
])('%s stays text', async (_name, text) => {
  const { read, artifacts } = await returning(text)
  expect(read).toBe(text)
  expect(artifacts).toEqual([])
})

test('a data: URL of an unknown image format has the type that it declares', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0"/>'.repeat(200)}</svg>`
  const { artifacts } = await returning(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`)
  expect(artifacts).toMatchObject([{ mediaType: 'image/svg+xml', kind: 'image' }])
})

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
test.each<[string, string]>([
  ['a short image', base64(pngOf(700))],
  ['hex', Buffer.from(pngOf(3000)).toString('hex')],
  ['hashes in lines', Array.from({ length: 100 }, (_, at) => `${at}`.padStart(64, 'a')).join('\n')],
  [
    'a JSON Web Token',
    ['{"alg":"RS256"}', JSON.stringify({ sub: 'x'.repeat(3000) }), 'sig']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.'),
  ],
  ['a long id', letters.repeat(40)],
  [
    'minified code',
    `var a=${'function(b,c){return b+c/2};'.repeat(200)}//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify({ mappings: 'AAAA'.repeat(900) })).toString('base64')}`,
  ],
  ['words in lines', Array.from({ length: 900 }, (_, at) => `word${at}`).join('\n')],
  ['slashes', '/'.repeat(5000)],
  ['hex of both cases', Buffer.from(pngOf(3000)).toString('hex').replace(/a/g, 'A')],
  ['words without spaces', 'LoremIpsumDolorSitAmetConsectetur2Adipiscing'.repeat(40)],
  ['a numbered list of names', Array.from({ length: 300 }, (_, at) => `Item${at}`).join('')],
  ['a long path', `/srv/Data${'/Projects/2024/reports/Final_v2'.repeat(60)}`],
  ['a long slug', 'how-to-read-a-mail-2-'.repeat(80)],
  ['one character', 'A'.repeat(3000)],
  ['a sequence of DNA', 'GATTACACCTGAAC'.repeat(200)],
  [
    'hashes of lines in base64',
    Array.from({ length: 40 }, (_, at) => base64(pngOf(2000 + at)).slice(99, 185)).join('\n'),
  ],
  [
    'ids in lines',
    Array.from({ length: 100 }, (_, at) => `cus_${base64(pngOf(2000 + at)).slice(99, 115)}`).join('\n'),
  ],
  [
    'an outline of lines',
    Array.from({ length: 400 }, (_, at) => `${(at * 787) % 999}-${(at * 77) % 99}l`).join('M'),
  ],
  ['positions of chess', 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/'.repeat(40)],
  [
    'a certificate',
    `-----BEGIN CERTIFICATE-----\n${wrapped(base64(pngOf(2000).subarray(9)), 64)}\n-----END CERTIFICATE-----\n`,
  ],
  ['a URL with a token', `https://a.example/files?token=${base64(pngOf(2000).subarray(9))}&x=1`],
])('%s stays text', async (_name, given) => {
  const { made, artifacts, read } = await returning(given)
  expect([made?.content, made?.result, read]).toEqual([given, given, given])
  expect(artifacts).toEqual([])
})

const toForms: readonly (readonly [string, (bytes: Uint8Array) => string])[] = [
  ['base64', base64],
  ['base64url', (bytes) => Buffer.from(bytes).toString('base64url')],
  ['padded base64url', (bytes) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_')],
  ['base64 in lines', (bytes) => `${wrapped(base64(bytes), 76)}\n`],
  ['base64 in lines of mails', (bytes) => wrapped(base64(bytes), 76)?.replaceAll('\n', '\r\n') ?? ''],
]

describe.each(toForms)('%s of a tool', (_form, encode) => {
  const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, ...pngOf(3000).subarray(4))
  const places: Readonly<Record<string, (encoded: string) => unknown>> = {
    'a field': (data) => ({ attachmentId: 'a', size: 3000, data }),
    'a list': (data) => [data, 'x'],
    'a whole text': (data) => data,
    prose: (data) => `The data is ${data} and no more.`,
    'JSON in a text': (data) => JSON.stringify({ data }),
    'two layers of JSON': (data) => JSON.stringify({ text: JSON.stringify({ data }) }),
    'three layers of JSON': (data) => ({ text: JSON.stringify({ text: JSON.stringify({ data }) }) }),
  }
  test.each(Object.keys(places))('becomes an artifact in %s, when its format is known', async (place) => {
    const { artifacts, agent, read } = await returning(places[place]?.(encode(jpeg)))
    expect(artifacts).toMatchObject([{ mediaType: 'image/jpeg', size: 3000 }])
    expect(Buffer.from(await readArtifactBytes(agent.artifacts, artifacts[0]?.id ?? '')).equals(jpeg)).toBe(
      true,
    )
    expect(read.length).toBeLessThan(150)
  })

  test('becomes an artifact in an error', async () => {
    const execute = () => {
      throw new Error(`Cannot read ${encode(jpeg)}`)
    }
    const { artifacts, read } = await returning('', { execute } as ToolSettings)
    expect(artifacts).toMatchObject([{ mediaType: 'image/jpeg' }])
    expect(read.trimEnd()).toMatch(/^Error: Cannot read img_\w+ \(image\/jpeg, 3000 bytes\)$/)
  })

  test.each<[string, string, Uint8Array]>([
    ['bytes of any format', 'application/octet-stream', pngOf(3001).subarray(8)],
    [
      'bytes that begin as MPEG frames do',
      'application/octet-stream',
      Uint8Array.of(0xff, 0xfb, ...pngOf(3000).subarray(8)),
    ],
    ['a text', 'text/plain', Buffer.from('Many words in a row. '.repeat(200))],
    ['a text of few letters', 'text/plain', Buffer.from('a'.repeat(2000))],
  ])('becomes an artifact as a whole string: %s', async (_name, mediaType, bytes) => {
    for (const place of Object.keys(places).filter((name) => name !== 'prose')) {
      const { artifacts, agent, read } = await returning(places[place]?.(encode(bytes)))
      expect(artifacts).toMatchObject([{ mediaType, size: bytes.length }])
      expect(
        Buffer.from(await readArtifactBytes(agent.artifacts, artifacts[0]?.id ?? '')).equals(bytes),
      ).toBe(true)
      expect(read.length).toBeLessThan(150)
    }
  })
})

test('a text that was in base64 can be read with read_artifact', async () => {
  const mail = Buffer.from('Dear Ann, '.repeat(200)).toString('base64url')
  const { result } = await returning({ body: { data: mail } })
  const id = result.artifacts[0]?.id ?? ''
  const parameters = jsonSchema({ type: 'object' })
  const fetchMail = tool({ name: 'fetch', description: 'Fetches.', parameters, execute: () => mail })
  const model = scriptedModel([
    reply.call('fetch'),
    reply.call('read_artifact', { artifact: id }),
    reply.text('Read.'),
  ])
  const { toolCalls } = await new Agent({ model, tools: [fetchMail] }).run('Read.')
  expect(toolCalls[1]).toMatchObject({ status: 'ok', result: { text: expect.stringMatching(/^Dear Ann, /) } })
})

test('a whole string of base64 in a reply of the model stays: it may be for its server', async () => {
  const { agent } = await returning('')
  const said = base64(pngOf(2000).subarray(8))
  const { text } = await agent.run('Encode it.', { model: scriptedModel([reply.text(said)]) })
  expect(text).toBe(said)
})

test('base64 of random bytes in prose stays text', async () => {
  const bytes = fc.uint8Array({ minLength: 900, maxLength: 4000 })
  await fc.assert(
    fc.asyncProperty(bytes, fc.string(), async (given, before) => {
      const value = `${before} ${base64(given)}`.toWellFormed()
      expect((await returning(value)).read).toBe(value)
    }),
    { numRuns: 50 },
  )
})

test('any image in any text becomes an artifact, and the text around it stays', async () => {
  const around = fc.string().map((one) => one.toWellFormed())
  await fc.assert(
    fc.asyncProperty(around, around, fc.integer({ min: 800, max: 5000 }), async (before, after, length) => {
      const { read } = await returning({ text: `${before} ${base64(pngOf(length))} ${after}` })
      const { text: kept } = JSON.parse(read) as { text: string }
      expect(kept.replace(/img_\w+ \(image\/png, \d+ bytes\)/, '<file>')).toBe(`${before} <file> ${after}`)
    }),
    { numRuns: 50 },
  )
})

test('a result that is the answer of a run names the artifact as well', async () => {
  const { result, artifacts } = await returning(base64(png), { returnDirect: true })
  expect(result.text).toBe(`${artifacts[0]?.id} (image/png, 3000 bytes)`)
})

test('a data: URL of any type becomes an artifact when it is a whole text', async () => {
  const url = `data:text/html;base64,${Buffer.from('<p>Many words.</p>'.repeat(100)).toString('base64')}`
  for (const given of [url, `${url}\n`, { page: url }, { page: JSON.stringify({ url }) }]) {
    const { artifacts, read } = await returning(given)
    expect(artifacts).toMatchObject([{ kind: 'text', mediaType: 'text/html', size: 1800 }])
    expect(read).toMatch(/txt_[a-z2-7]+ \(text\/html, 1800 bytes\)/)
  }
})

test.each([
  ['artifacts', { artifacts: 1 }],
  ['artifactBytes', { artifactBytes: 5000 }],
] as const)('files in results count towards limits.%s', async (limit, limits) => {
  const files = { one: base64(png), same: base64(png), other: base64(pngOf(2500)) }
  const { result, artifacts, made } = await returning(files, {}, limits)
  expect(result).toMatchObject({ stopReason: 'limit', limit, usage: { artifacts: 1, artifactBytes: 3000 } })
  expect(artifacts).toMatchObject([{ size: 3000, origin: { tool: 'look' } }])
  const kept = `${artifacts[0]?.id} (image/png, 3000 bytes)`
  const dropped = `(image/png, 2500 bytes; not kept: limit ${limit} reached)`
  expect(made?.result).toEqual({ one: kept, same: kept, other: dropped })
  expect(JSON.stringify(result)).not.toContain(base64(pngOf(2500)).slice(0, 100))
})

test('files in a result that a decision gives become artifacts of its call, within the limits', async () => {
  const parameters = jsonSchema({ type: 'object' })
  const camera = tool({ name: 'camera', description: 'Looks.', parameters })
  const model = scriptedModel([reply.call('camera'), reply.text('Seen.')])
  const agent = new Agent({ model, tools: [camera], limits: { artifacts: 1 } })
  const { state, pending } = await agent.run('Look.')
  const callId = pending?.[0]?.callId ?? ''
  const value = { front: base64(png), back: base64(pngOf(2500)) }
  const events: RunEvent[] = []
  const observe = (event: RunEvent) => events.push(event)
  const result = await agent.run(state, { decisions: { [callId]: { type: 'result', value } }, observe })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'artifacts', usage: { artifacts: 1 } })
  expect(result.artifacts).toMatchObject([{ size: 3000, origin: { tool: 'camera', callId } }])
  expect(result.toolCalls[0]?.content).toMatch(/"front":"img_\w+ \(image.*"back":"\(image.*not kept/)
  expect(events.filter(({ type }) => type === 'artifact-stored')).toMatchObject([{ callId, name: 'camera' }])
  expect(JSON.stringify([result, events])).not.toMatch(/[A-Za-z0-9+/]{1000}/)
})

test('a process warning names the tool, once', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const parameters = jsonSchema({ type: 'object' })
  const camera = tool({ name: 'camera', description: 'Looks.', parameters, execute: () => base64(png) })
  const model = scriptedModel([reply.call('camera'), reply.call('camera'), reply.text('Seen.')])
  await new Agent({ model, tools: [camera] }).run('Look twice.')
  await expect.poll(() => warnings.filter(({ message }) => message.includes('"camera"')).length).toBe(1)
  const [warning] = warnings.filter(({ message }) => message.includes('"camera"'))
  expect(warning).toMatchObject({ name: 'CapstanWarning', code: 'capstan_base64_result' })
  expect(warning?.message).toMatch(
    /^Tool "camera" returned \d+ characters of base64, which became an artifact\./,
  )
})

/** 20 MB of base64 in `.ci/long`, otherwise 2 MB. */
const megabytes = isLong ? 15 : 1.5

test(`a result of ${megabytes} MB as base64 is one artifact`, async () => {
  const size = megabytes * 1_000_000
  const { artifacts } = await returning(base64(pngOf(size)))
  expect(artifacts).toMatchObject([{ mediaType: 'image/png', size }])
})
