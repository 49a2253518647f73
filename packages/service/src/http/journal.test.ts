import { createHash } from 'node:crypto'
import OpenAI, { toFile } from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import type { ServiceOptions } from '../service-options.js'
import { startService } from '../start-service.js'
import { createJournal } from './journal.js'
import { createRedactor } from './redact-request.js'

async function start(options: ServiceOptions = {}) {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return { service, client: new OpenAI({ ...service, maxRetries: 0 }) }
}

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }]

test('keeps what clients sent: JSON, forms, and what was rejected', async () => {
  const { service, client } = await start()
  await client.chat.completions.create({ model: 'gpt-4o', messages, temperature: 0.2 })
  const file = await toFile(Buffer.from('no sound'), 'a.wav', { type: 'audio/wav' })
  await client.audio.transcriptions.create({ model: 'whisper-1', file, language: 'en' }).catch(() => {})
  await fetch(`${service.baseURL}/models`)
  expect(service.requests).toMatchObject([
    {
      method: 'POST',
      path: '/v1/chat/completions',
      status: 200,
      body: { model: 'gpt-4o', messages, temperature: 0.2 },
      headers: { 'content-type': 'application/json', authorization: '***' },
    },
    {
      path: '/v1/audio/transcriptions',
      status: 400,
      body: { model: 'whisper-1', language: 'en', file: { name: 'a.wav', mediaType: 'audio/wav', bytes: 8 } },
    },
    { method: 'GET', path: '/v1/models', status: 401, body: undefined },
  ])
  service.reset()
  expect(service.requests).toEqual([])
})

test('keeps no key, in any place, and no long base64', async () => {
  const upstreamKey = 'the-key-of-the-other-server'
  const { service, client } = await start({
    apiKey: 'our-very-own-key',
    upstream: { url: 'http://127.0.0.1:9/v1', apiKey: upstreamKey, endpoints: ['images'] },
  })
  const base64 = createHash('sha512').update('x').digest('base64').slice(0, 80).repeat(50)
  const content = `Keys: our-very-own-key, ${upstreamKey}, sk-abcdefghijklmnopqrstuvwx. Bearer abcdefgh12345678`
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } } as const
  const text = { type: 'text', text: content } as const
  const metadata = { api_key: 'a-third-one', note: 'our-very-own-key' }
  await client.chat.completions.create(
    { model: 'gpt-4o', messages: [{ role: 'user', content: [text, image] }], metadata },
    { headers: { cookie: 'a=b', 'x-api-key': 'a-fourth-one', 'x-note': upstreamKey } },
  )
  const prompt = `a cat, ${base64.slice(0, 70)}`
  await client.images.generate({ model: 'x', prompt, user: 'our-very-own-key' }).catch(() => {})
  const kept = JSON.stringify(service.requests)
  for (const secret of ['our-very-own-key', upstreamKey, 'sk-abc', '12345678', 'a-third', 'a-fourth', 'a=b'])
    expect(kept).not.toContain(secret)
  expect(kept).not.toContain(base64)
  expect(service.requests).toMatchObject([
    {
      body: {
        messages: [
          { content: [{}, { image_url: { url: `data:image/png;base64,<base64, 4000 characters>` } }] },
        ],
      },
    },
    { path: '/v1/images/generations', status: 502, body: { prompt, user: '***' } },
  ])
})

test('keeps the latest requests only', async () => {
  const { service, client } = await start({ journal: 2 })
  for (const model of ['a', 'b', 'c']) await client.chat.completions.create({ model, messages })
  expect(service.requests).toMatchObject([{ body: { model: 'b' } }, { body: { model: 'c' } }])
  const { service: none, client: other } = await start({ journal: 0 })
  await other.chat.completions.create({ model: 'a', messages })
  expect(none.requests).toEqual([])
})

test('the bodies together have a limit', () => {
  const journal = createJournal({ most: 10, mostText: 100, secrets: [] })
  const add = (text: string) => {
    journal.start({ id: 'a', method: 'POST', path: '/files/token', headers: {} }).addFields({
      fields: { text },
      files: {},
    })
  }
  for (const text of ['x', 'y', 'z']) add(text.repeat(30))
  expect(journal.list()).toMatchObject([
    { path: '/files/*', body: { text: 'y'.repeat(30) } },
    { body: { text: 'z'.repeat(30) } },
  ])
  add('!'.repeat(200))
  expect(journal.list()).toMatchObject([{}, {}, { body: '<211 characters>' }])
})

test.each([
  ['sk', `-proj-${'a1B2'.repeat(8)}`],
  ['ghp', `_${'a1B2'.repeat(9)}`],
  ['github', `_pat_${'a1B2'.repeat(9)}`],
  ['AK', 'IAIOSFODNN7EXAMPLE'],
  ['AI', `zaSy${'a1B2'.repeat(8)}`],
  ['xoxb', `-1234567890-${'a1B2'.repeat(4)}`],
  ['ey', `JhbGciOiJI.${'eyJzdWIi'.repeat(2)}.${'a1B2'.repeat(4)}`],
])('redacts keys that begin with %s', (start, rest) => {
  const { value } = createRedactor([])
  expect(value({ note: `Use ${start}${rest}, please.` })).toEqual({ note: 'Use ***, please.' })
})

test('redacts hostile bodies: deep, of special names, and of long runs', () => {
  const redact = createRedactor(['short', 'long-enough'])
  const hostile = JSON.parse('{"__proto__": {"a": "long-enough"}, "b": "short"}')
  expect(JSON.stringify(redact.value(hostile))).toBe('{"__proto__":{"a":"***"},"b":"short"}')
  let deep: unknown = 'x'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(JSON.stringify(redact.value(deep))).toContain('<nested too deeply>')
  const words = Array.from({ length: 300 }, (_, index) => `word${index}`)
  expect(redact.value(words.join('\n'))).toBe(words.join('\n'))
  const lines = Array.from({ length: 40 }, () => 'QUJD'.repeat(19)).join('\r\n')
  expect(redact.value(lines)).toBe(`<base64, ${lines.length} characters>`)
  // Takes minutes where a pattern reads a character more than a few times.
  expect(redact.value(`${'a'.repeat(1000)} `.repeat(5000))).toHaveLength(5_005_000)
  expect(redact.value(' '.repeat(5_000_000))).toHaveLength(5_000_000)
})
