import { inspect } from 'node:util'
import { isCapstanError, memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64, wav } from '../../test/artifacts.js'
import { type Answer, deadOrigin, startMediaServer, testKey } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { generateImage } from '../tools/generate-image.js'
import { speak } from '../tools/speak.js'

const failure = (message: string, code: string | null = null) => ({
  error: { message, type: 'x', code, param: null },
})

test.each<[string, Answer, object]>([
  [
    'auth',
    { status: 401, body: failure('Wrong key.') },
    { message: expect.stringContaining('Check the API key') },
  ],
  ['auth', { status: 403, body: failure('Not for you.') }, {}],
  [
    'not_found',
    { status: 404, body: failure('No such model.', 'model_not_found') },
    { message: expect.stringContaining('"models"') },
  ],
  [
    'unsupported',
    { status: 404, body: { detail: 'Not Found' } },
    { message: expect.stringContaining('404: Not Found. This server') },
  ],
  ['unsupported', { status: 405, body: { detail: 'Method Not Allowed' } }, {}],
  ['unsupported', { status: 501, body: failure('Not here.') }, {}],
  [
    'invalid_request',
    { status: 400, body: failure('No such size.') },
    { message: '/images/generations responded 400: No such size.' },
  ],
  [
    'invalid_request',
    { status: 422, body: { detail: [{ loc: ['body', 'n'], msg: 'n must be 1' }] } },
    { message: '/images/generations responded 422: n must be 1.' },
  ],
  [
    'rate_limit',
    { status: 429, headers: { 'retry-after': '7' }, body: failure('Slow down.') },
    { retryable: true, retryAfterMs: 7000 },
  ],
  ['quota', { status: 429, body: failure('No money.', 'insufficient_quota') }, { retryable: false }],
  [
    'api',
    { status: 500, body: '<html><title>Oops</title></html>' },
    { retryable: true, message: '/images/generations responded 500: an HTML page, "Oops"' },
  ],
  [
    'timeout',
    { status: 504, body: '' },
    { retryable: true, message: '/images/generations responded 504: an empty body.' },
  ],
])('%s: %o', async (code, answer, expected) => {
  const server = await startMediaServer(() => answer)
  const asked = generateImage({ client: server.client }).call({ prompt: 'a cat' })
  await expect(asked).rejects.toMatchObject({ code, status: answer.status, ...expected })
})

test('retries through the client as its options say', async () => {
  let times = 0
  const server = await startMediaServer(() => {
    times += 1
    const retryAtOnce = { 'retry-after-ms': '1' }
    if (times === 1) return { status: 500, headers: retryAtOnce, body: failure('Try again.') }
    return { body: { data: [{ b64_json: base64(png(4, 4)) }] } }
  })
  const client = { ...server.client, maxRetries: 1 }
  const { images } = await generateImage({ client }).call({ prompt: 'a cat' })
  expect(images).toHaveLength(1)
  const [first, second] = server.arrived.map(({ headers }) => headers['idempotency-key'])
  expect(first).toBe(second)
})

test('does not retry a missing endpoint', async () => {
  const server = await startMediaServer(() => ({ status: 501, body: failure('Not here.') }))
  const client = { ...server.client, maxRetries: 2 }
  await expect(generateImage({ client }).call({ prompt: 'a cat' })).rejects.toMatchObject({
    code: 'unsupported',
    message: '/images/generations responded 501: Not here.',
  })
  expect(server.arrived).toHaveLength(1)
})

test('does not follow a redirect of the service, and says what to set', async () => {
  const server = await startMediaServer((_request, { origin }) => ({
    status: 307,
    headers: { location: `${origin}/v2/images/generations` },
    body: '',
  }))
  await expect(generateImage({ client: server.client }).call({ prompt: 'a cat' })).rejects.toMatchObject({
    code: 'invalid_request',
    status: 307,
    message: expect.stringContaining(`Set baseURL to "${server.origin}/v2"`),
  })
  expect(server.arrived).toHaveLength(1)
})

test.each<[string, Answer]>([
  ['in its error', { status: 401, body: failure(`Incorrect API key provided: ${testKey}.`) }],
  ['in a page', { status: 403, body: `<title>${testKey}</title>` }],
  ['in its headers', { status: 401, headers: { 'x-echo': testKey }, body: failure('Wrong key.') }],
  ['in an answer with status 200', { body: { message: `Bearer ${testKey} was sent` } }],
  ['in a link', { body: { data: [{ url: `http://example.invalid.${testKey}/` }] } }],
])('keeps a key that the server repeats %s out of the error', async (_, answer) => {
  const server = await startMediaServer(() => answer)
  const error = await generateImage({ client: server.client })
    .call({ prompt: 'a cat' })
    .catch((thrown) => thrown)
  expect(isCapstanError(error)).toBe(true)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(testKey)
})

test('does not repeat a key that is invalid as a header', async () => {
  const client = { baseURL: `${await deadOrigin()}/v1`, apiKey: `${testKey}\nrest`, maxRetries: 0 }
  const error = await generateImage({ client })
    .call({ prompt: 'a cat' })
    .catch((thrown) => thrown)
  expect(isCapstanError(error)).toBe(true)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(testKey)
})

test('names the address and the reason on a network error', async () => {
  const baseURL = `${await deadOrigin()}/v1`
  const asked = generateImage({ client: { baseURL, apiKey: testKey, maxRetries: 0 } }).call({
    prompt: 'a cat',
  })
  await expect(asked).rejects.toMatchObject({
    code: 'network',
    retryable: true,
    message: expect.stringContaining(`Cannot reach ${baseURL}/images/generations: connect ECONNREFUSED`),
  })
})

test("reports the client's timeout as timeout", async () => {
  const server = await startMediaServer(() => undefined)
  const asked = generateImage({ client: { ...server.client, timeout: 20 } }).call({ prompt: 'a cat' })
  await expect(asked).rejects.toMatchObject({ code: 'timeout', retryable: true })
})

test('rejects with the reason of an abort', async () => {
  const stop = new AbortController()
  const server = await startMediaServer(() => {
    stop.abort(new Error('enough'))
    return undefined
  })
  const asked = generateImage({ client: server.client }).call({ prompt: 'a cat' }, { signal: stop.signal })
  await expect(asked).rejects.toThrow('enough')
})

test('does not wait for a retry pause after an abort', async () => {
  const stop = new AbortController()
  const server = await startMediaServer(() => {
    setImmediate(() => stop.abort(new Error('enough')))
    return { status: 503, headers: { 'retry-after-ms': '15000' }, body: failure('Busy.') }
  })
  const client = { ...server.client, maxRetries: 1 }
  const asked = generateImage({ client }).call({ prompt: 'a cat' }, { signal: stop.signal })
  await expect(asked).rejects.toThrow('enough')
})

test('does not wait for the store after an abort', async () => {
  const stop = new AbortController()
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(png(4, 4)) }] } }))
  const put = () => {
    stop.abort(new Error('enough'))
    return new Promise<never>(() => {})
  }
  const artifacts = { ...memoryArtifacts(), put }
  const asked = generateImage({ client: server.client, artifacts }).call(
    { prompt: 'a cat' },
    { signal: stop.signal },
  )
  await expect(asked).rejects.toThrow('enough')
})

test('sends nothing if the call was aborted before', async () => {
  const server = await startMediaServer(() => ({ body: wav() }))
  const asked = speak({ client: server.client }).call(
    { input: 'Hi' },
    { signal: AbortSignal.abort(new Error('no')) },
  )
  await expect(asked).rejects.toThrow('no')
  expect(server.arrived).toEqual([])
})

test('does not blame the server for an error of the store', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(png(4, 4)) }] } }))
  const full = { ...memoryArtifacts(), put: () => Promise.reject(new Error('disk full')) }
  const asked = generateImage({ client: server.client, artifacts: full }).call({ prompt: 'a cat' })
  await expect(asked).rejects.toThrow(/^disk full$/)
})
