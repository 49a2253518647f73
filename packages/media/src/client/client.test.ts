import { inspect } from 'node:util'
import { AzureOpenAI, OpenAI } from 'openai'
import { OpenAI as OpenAI7 } from 'openai7'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { base64, filledStore, wav } from '../../test/artifacts.js'
import { type Arrived, startMediaServer, testKey } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { generateImage } from '../tools/generate-image.js'
import { mediaTools } from '../tools/media-tools.js'

beforeEach(() => {
  for (const name of ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_ADMIN_KEY']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const drawn = () => ({ body: { data: [{ b64_json: base64(png(4, 4)) }] } })

test('reads address and key from the environment at the first call', async () => {
  const tool = generateImage()
  const server = await startMediaServer(drawn)
  vi.stubEnv('OPENAI_BASE_URL', server.origin)
  vi.stubEnv('OPENAI_API_KEY', testKey)
  await tool.call({ prompt: 'a cat' })
  expect(server.arrived[0]).toMatchObject({
    path: '/v1/images/generations',
    headers: { authorization: `Bearer ${testKey}` },
  })
})

test('throws auth without a key at the first call, until one is set', async () => {
  const server = await startMediaServer(drawn)
  const tool = generateImage({ client: { baseURL: server.origin } })
  await expect(tool.call({ prompt: 'a cat' })).rejects.toMatchObject({
    code: 'auth',
    message: expect.stringContaining('Set OPENAI_API_KEY or client: { apiKey }'),
  })
  vi.stubEnv('OPENAI_API_KEY', testKey)
  await expect(tool.call({ prompt: 'a cat' })).resolves.toHaveProperty('images.length', 1)
})

test("throws auth, without its message, if the client's key function fails", async () => {
  const server = await startMediaServer(drawn)
  const apiKey = () => Promise.reject(new RangeError('the vault said 0123456789'))
  const error = await generateImage({ client: { ...server.client, apiKey } })
    .call({ prompt: 'a cat' })
    .catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('failed (RangeError)') })
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('0123456789')
  expect(server.arrived).toEqual([])
})

test('sends the query of a baseURL and keeps its path', async () => {
  const server = await startMediaServer(drawn)
  const client = {
    ...server.client,
    baseURL: `${server.client.baseURL}?api-version=2025-01-01`,
    defaultQuery: { a: 'b' },
  }
  await generateImage({ client }).call({ prompt: 'a cat' })
  expect(server.arrived.map(({ path }) => path)).toEqual([
    '/v1/images/generations?api-version=2025-01-01&a=b',
  ])
})

test("sends no key for an empty apiKey, not even the environment's", async () => {
  vi.stubEnv('OPENAI_API_KEY', testKey)
  const server = await startMediaServer(drawn)
  await generateImage({ client: { ...server.client, apiKey: '' } }).call({ prompt: 'a cat' })
  expect(server.arrived[0]?.headers).not.toHaveProperty('authorization')
})

test.each(['localhost:4100', 'ftp://example.com', 'not an address'])(
  'rejects baseURL "%s" when the tools are created',
  (baseURL) => {
    expect(() => mediaTools({ client: { baseURL, apiKey: testKey } })).toThrow(
      `baseURL "${baseURL.slice(0, 4)}..." is not an http(s) URL. Use one like https://api.openai.com/v1.`,
    )
  },
)

test('rejects a baseURL with a password, and does not repeat it', async () => {
  const baseURL = 'http://somebody:hunter2-password@127.0.0.1:9/v1'
  const refused = { code: 'invalid_request', message: expect.stringContaining('Send it as the header') }
  const inOptions = await Promise.resolve()
    .then(() => generateImage({ client: { baseURL, apiKey: testKey } }))
    .catch((thrown) => thrown)
  const client = new OpenAI({ baseURL, apiKey: testKey })
  const inClient = await generateImage({ client })
    .call({ prompt: 'a cat' })
    .catch((thrown) => thrown)
  for (const error of [inOptions, inClient]) {
    expect(error).toMatchObject(refused)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/hunter2|somebody/)
  }
})

test("keeps the user's own authorization header with an empty key", async () => {
  const server = await startMediaServer(drawn)
  const defaultHeaders = { Authorization: 'Basic dXNlcjpwYXNz' }
  await generateImage({ client: { ...server.client, apiKey: '', defaultHeaders } }).call({ prompt: 'a cat' })
  expect(server.arrived[0]?.headers.authorization).toBe('Basic dXNlcjpwYXNz')
})

const givens = {
  'openai, the dependency': (options: { baseURL: string; apiKey: string }) => new OpenAI(options),
  'openai 7': (options: { baseURL: string; apiKey: string }) => new OpenAI7(options),
  options: (options: { baseURL: string; apiKey: string }) => options,
}

test.each(Object.entries(givens))('all six tools work through a given client: %s', async (_, make) => {
  const server = await startMediaServer(answerAll)
  const { store: artifacts, image, mask, recording } = await filledStore()
  const [generate, edit, vary, transcribe, translate, speak] = mediaTools({
    client: make(server.client),
    artifacts,
  })
  expect((await generate.call({ prompt: 'a cat' })).images).toHaveLength(1)
  expect((await edit.call({ image: image.id, mask: mask.id, prompt: 'a hat' })).images).toHaveLength(1)
  expect((await vary.call({ image: image.id, n: 1 })).images).toHaveLength(1)
  expect(await transcribe.call({ file: recording.id })).toEqual({ text: 'heard' })
  expect(await translate.call({ file: recording.id })).toEqual({ text: 'heard' })
  expect((await speak.call({ input: 'Hello', format: 'wav' })).audio.mediaType).toBe('audio/wav')
  expect(server.arrived.map(({ path }) => path)).toEqual([
    '/v1/images/generations',
    '/v1/images/edits',
    '/v1/images/variations',
    '/v1/audio/transcriptions',
    '/v1/audio/translations',
    '/v1/audio/speech',
  ])
  expect(server.arrived[5]?.fields).toMatchObject({ format: 'wav' })
  for (const { headers } of server.arrived) expect(headers.authorization).toBe(`Bearer ${testKey}`)
})

test('keeps deployment, version and kind of key of an Azure client', async () => {
  const server = await startMediaServer(answerAll)
  const azure = { endpoint: server.origin, apiKey: testKey, apiVersion: '2026-01-01', deployment: 'painter' }
  await generateImage({ client: new AzureOpenAI(azure) }).call({ prompt: 'a cat' })
  expect(server.arrived[0]).toMatchObject({
    path: '/openai/deployments/painter/images/generations?api-version=2026-01-01',
    headers: { 'api-key': testKey },
  })
})

test('uses a client that cannot be copied as it is', async () => {
  const server = await startMediaServer(drawn)
  class Sealed extends OpenAI {
    override withOptions(): never {
      throw new Error('sealed')
    }
  }
  const { images } = await generateImage({ client: new Sealed(server.client) }).call({ prompt: 'a cat' })
  expect(images).toHaveLength(1)
})

test('uses the fetch and headers of a given client', async () => {
  const server = await startMediaServer(drawn)
  const seen: string[] = []
  const client = new OpenAI({
    ...server.client,
    defaultHeaders: { 'x-team': 'blue' },
    fetch: async (input, init) => {
      seen.push(String(input))
      return fetch(input, init)
    },
  })
  await generateImage({ client }).call({ prompt: 'a cat' })
  expect(seen).toEqual([`${server.origin}/v1/images/generations`])
  expect(server.arrived[0]?.headers['x-team']).toBe('blue')
})

function answerAll({ path }: Arrived) {
  if (path.includes('/images/')) return drawn()
  if (path.endsWith('/speech')) return { body: wav(), headers: { 'content-type': 'audio/wav' } }
  return { body: { text: 'heard' } }
}
