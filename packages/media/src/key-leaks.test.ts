import { inspect } from 'node:util'
import { isCapstanError } from '@capstan/core'
import { AzureOpenAI, OpenAI } from 'openai'
import { AzureOpenAI as AzureOpenAI7, OpenAI as OpenAI7 } from 'openai7'
import { expect, test } from 'vitest'
import { startMediaServer, testKey } from '../test/media-server.js'
import type { MediaClient, MediaClientOptions } from './client/client.js'
import { generateImage } from './tools/generate-image.js'

/** The error of a drawing as text, with everything that could be printed. */
async function failure(client: MediaClient | MediaClientOptions): Promise<string> {
  const error = await generateImage({ client })
    .call({ prompt: 'a cat' })
    .then(
      () => expect.unreachable('the call should fail'),
      (thrown) => thrown,
    )
  expect(isCapstanError(error)).toBe(true)
  const told = [
    inspect(error, { depth: 20, showHidden: true }),
    error.stack,
    JSON.stringify(error),
    String(error),
  ]
  return told.join('\n')
}

type Given = MediaClient | MediaClientOptions
const own = 'another-key-of-no-use'
const ways: Record<string, (baseURL: string) => Given> = {
  'options, apiKey': (baseURL) => ({ baseURL, apiKey: testKey }),
  'options, apiKey as a function': (baseURL) => ({ baseURL, apiKey: async () => testKey }),
  'options without a key, defaultHeaders': (baseURL) => ({
    baseURL,
    apiKey: '',
    defaultHeaders: { authorization: `Token ${testKey}` },
  }),
}
for (const [version, Client, Azure] of [
  ['6', OpenAI, AzureOpenAI],
  ['7', OpenAI7, AzureOpenAI7],
] as const) {
  const azure = (baseURL: string) => ({ baseURL, apiVersion: '2025-01-01' })
  Object.assign(ways, {
    [`openai ${version}, apiKey`]: (baseURL: string) => new Client({ baseURL, apiKey: testKey }),
    [`openai ${version}, apiKey as a function`]: (baseURL: string) =>
      new Client({ baseURL, apiKey: async () => testKey }),
    [`openai ${version}, defaultHeaders`]: (baseURL: string) =>
      new Client({ baseURL, apiKey: own, defaultHeaders: { 'x-gateway-key': testKey } }),
    [`openai ${version}, any header`]: (baseURL: string) =>
      new Client({ baseURL, apiKey: own, defaultHeaders: { 'x-jwt': testKey } }),
    [`openai ${version}, Basic`]: (baseURL: string) =>
      new Client({
        baseURL,
        apiKey: own,
        defaultHeaders: { authorization: `Basic ${btoa(`bob:${testKey}`)}` },
      }),
    [`openai ${version}, Azure, apiKey`]: (baseURL: string) =>
      new Azure({ ...azure(baseURL), apiKey: testKey }),
    [`openai ${version}, Azure, token provider`]: (baseURL: string) =>
      new Azure({ ...azure(baseURL), azureADTokenProvider: async () => testKey }),
  })
}

test.each(Object.entries(ways))(
  'a key that the server repeats is in no error: %s',
  async (_way, clientAt) => {
    const quoted = `Incorrect API key provided: ${testKey}.`
    const answers = [
      { status: 401, body: { error: { message: quoted, code: testKey } } },
      { status: 400, headers: { 'x-request-id': testKey }, body: `<title>${testKey}</title>` },
      { body: { message: quoted } },
    ]
    const server = await startMediaServer(() => answers.shift())
    const client = clientAt(`${server.origin}/v1`)
    for (const _ of [...answers]) {
      const told = await failure(client)
      expect(told).toContain('[redacted]')
      expect(told).not.toContain(testKey)
    }
  },
)

test.each<[string, object]>([
  ['in its message', new Error(`cannot send ${testKey}`)],
  ['in its headers', Object.assign(new Error('no'), { headers: new Headers({ 'api-key': testKey }) })],
  [
    'in its cause',
    new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { key: testKey }) }),
  ],
])('keeps the key out of the error if fetch throws it %s', async (_where, thrown) => {
  const options = { baseURL: 'http://127.0.0.1:9/v1', maxRetries: 0, fetch: () => Promise.reject(thrown) }
  for (const client of [
    { ...options, apiKey: testKey },
    new OpenAI({ ...options, apiKey: async () => testKey }),
    new OpenAI7({ ...options, apiKey: testKey }),
  ]) {
    expect(await failure(client)).not.toContain(testKey)
  }
})

test('keeps query and path tokens of an address out of errors', async () => {
  for (const baseURL of [`http://127.0.0.1:9/v1?sig=${testKey}`, `http://127.0.0.1:9/${testKey}-0123/v1`]) {
    const options = { baseURL, apiKey: own, maxRetries: 0 }
    for (const client of [options, new OpenAI(options), new OpenAI7(options)]) {
      const told = await failure(client)
      expect(told).toContain('Cannot reach http://127.0.0.1:9/')
      expect(told).not.toContain(testKey)
    }
  }
})
