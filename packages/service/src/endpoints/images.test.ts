import { blankPicture, encodePng, kindOf, paintPrompt, parsePng, writePicture } from '@capstan/painter'
import { afterAll, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import type { Endpoint, ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { startWork } from '../work/start-work.js'
import { startImageLinks } from './image-links.js'
import { imageEndpoints } from './images.js'

const links = startImageLinks()
const work = startWork({ workers: 1 })
afterAll(() => work.close())
const { generate, edit, vary } = imageEndpoints({ links, work })
const model = 'gpt-image-1'
const png = encodePng(paintPrompt({ prompt: 'a house', width: 48, height: 32 }).picture)

test('generates a PNG of the requested size with the understood words', async () => {
  const { json, headers } = await call(generate, { model, prompt: 'a red sailboat at sunset', size: '64x48' })
  expect(json.created).toBeGreaterThan(1_700_000_000)
  expect(json.data).toHaveLength(1)
  expect(json.data[0]?.revised_prompt).toBe('a red sailboat at sunset')
  expect(sizeOf(json.data[0])).toEqual([64, 48])
  expect(headers).toEqual({
    'x-capstan-engine': 'painter; procedural',
    'x-capstan-understood': 'red, sailboat, sunset',
    'x-capstan-not-understood': 'nothing',
  })
})

test('several images of one prompt differ', async () => {
  const { json } = await call(generate, { model, prompt: 'a cat', size: '32x32', n: 3 })
  expect(new Set(json.data.map(({ b64_json }) => b64_json)).size).toBe(3)
})

async function isDefaultSize(size: string | undefined): Promise<void> {
  const { json } = await call(generate, { model, prompt: 'sunset', size })
  expect(sizeOf(json.data[0])).toEqual([1024, 1024])
}

test('the default size is 1024x1024', () => isDefaultSize(undefined))
slowTest('the size auto is 1024x1024', () => isDefaultSize('auto'))

test('reports an unknown prompt', async () => {
  const { json, headers } = await call(generate, { model, prompt: 'żółw', size: '32x32' })
  expect(headers?.['x-capstan-understood']).toBe('nothing')
  expect(headers?.['x-capstan-not-understood']).toBe('%C5%BC%C3%B3%C5%82w')
  expect(json.data[0]?.revised_prompt).toBe('abstract: no known words (not understood: żółw)')
})

test.each(some(['webp', 'png', 'jpeg'] as const))('every endpoint returns %s', async (kind) => {
  const fields = { model, output_format: kind }
  const answers = await Promise.all([
    call(generate, { ...fields, prompt: 'a cat', size: '32x32' }),
    call(edit, { ...fields, prompt: 'add a cat' }, { image: png }),
    call(vary, fields, { image: png }),
  ])
  for (const { json } of answers) expect(kindOf(bytesOf(json.data[0]))).toEqual({ kind })
})

test('every endpoint accepts JPEG, WebP and PNG, with a mask of another format', async () => {
  for (const kind of ['jpeg', 'webp'] as const) {
    const image = await writePicture(parsePng(png, 'image'), { kind })
    const [edited, varied] = await Promise.all([
      call(edit, { model, prompt: 'add a cat' }, { image, mask: maskOf() }),
      call(vary, { model }, { image }),
    ])
    expect([edited, varied].map(({ json }) => sizeOf(json.data[0]))).toEqual([
      [48, 32],
      [48, 32],
    ])
  }
})

test('less "output_compression" is a smaller file, and forms carry it as text', async () => {
  const fields = { model, prompt: 'a castle', size: '128x128', output_format: 'webp' }
  const sizes = await Promise.all(
    [10, 60, '95'].map(async (output_compression) => {
      const { json } = await call(generate, { ...fields, output_compression })
      return bytesOf(json.data[0]).length
    }),
  )
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
})

test('a transparent background keeps only the things', async () => {
  const fields = { model, prompt: 'a cat on a house', size: '96x96' }
  const cut = await call(generate, { ...fields, background: 'transparent' })
  const { pixels } = parsePng(bytesOf(cut.json.data[0]), 'image')
  const alphas = pixels.filter((_, i) => i % 4 === 3)
  expect(alphas.filter((alpha) => alpha === 0).length).toBeGreaterThan(alphas.length * 0.4)
  expect(alphas.filter((alpha) => alpha === 255).length).toBeGreaterThan(alphas.length * 0.1)
  const landscape = await call(generate, { ...fields, prompt: 'a forest', background: 'transparent' })
  const forest = parsePng(bytesOf(landscape.json.data[0]), 'image')
  expect(forest.pixels.every((value, i) => i % 4 !== 3 || value === 255)).toBe(true)
})

test('accepts fields that the painter does not use', async () => {
  const ignored = {
    quality: 'high',
    style: 'vivid',
    user: 'u1',
    moderation: 'low',
    background: 'auto',
    stream: false,
  }
  const { json } = await call(generate, {
    model,
    prompt: 'a cat',
    size: '32x32',
    output_compression: 100,
    ...ignored,
  })
  expect(sizeOf(json.data[0])).toEqual([32, 32])
})

test('several edits of one image differ, also across workers', async () => {
  const { json } = await call(edit, { model, prompt: 'add a tree', n: '4' }, { image: png, mask: maskOf() })
  expect(new Set(json.data.map(({ b64_json }) => b64_json)).size).toBe(4)
})

test('delivers an image as a link', async () => {
  const { json } = await call(generate, { model, prompt: 'a cat', size: '32x32', response_format: 'url' })
  const url = new URL(json.data[0]?.url ?? '')
  expect(json.data[0]).not.toHaveProperty('b64_json')
  expect(url.origin).toBe('http://127.0.0.1:4100')
  expect(parsePng(links.get(url.pathname) ?? new Uint8Array(), 'file').width).toBe(32)
})

test('an edit has the size of the image or the requested one', async () => {
  const fields = { model, prompt: 'add a red balloon' }
  const kept = await call(edit, fields, { image: png })
  expect(sizeOf(kept.json.data[0])).toEqual([48, 32])
  expect(kept.json.data[0]?.revised_prompt).toBe('a red balloon added')
  const scaled = await call(edit, { ...fields, size: '64x64', n: '2' }, { image: png })
  expect(scaled.json.data.map(sizeOf)).toEqual([
    [64, 64],
    [64, 64],
  ])
})

test('an edit with a mask changes the marked area', async () => {
  const { json } = await call(edit, { model, prompt: 'add a moon' }, { image: png, mask: maskOf() })
  const [before, after] = [parsePng(png, 'image'), parsePng(bytesOf(json.data[0]), 'image')]
  expect(after.pixels.subarray(48 * 10 * 4)).toEqual(before.pixels.subarray(48 * 10 * 4))
  expect(after.pixels).not.toEqual(before.pixels)
})

test('variations have the size of the image or the requested one', async () => {
  const kept = await call(vary, { model, n: '2' }, { image: png })
  expect(kept.json.data.map(sizeOf)).toEqual([
    [48, 32],
    [48, 32],
  ])
  expect(kept.headers).toEqual({ 'x-capstan-engine': 'painter; procedural' })
  const scaled = await call(vary, { model, size: '100x50' }, { image: png })
  expect(sizeOf(scaled.json.data[0])).toEqual([100, 50])
})

test.each([
  ['no prompt', generate, { model }, 'missing_prompt', 'prompt'],
  ['an empty prompt', generate, { model, prompt: '  ' }, 'missing_prompt', 'prompt'],
  ['a prompt that is no string', generate, { model, prompt: ['a'] }, 'invalid_prompt', 'prompt'],
  ['a prompt that is too long', generate, { model, prompt: 'a'.repeat(4001) }, 'prompt_too_long', 'prompt'],
  ['a size in words', generate, { model, prompt: 'x', size: 'large' }, 'invalid_size', 'size'],
  ['a size that is too small', generate, { model, prompt: 'x', size: '8x64' }, 'invalid_size', 'size'],
  ['a size that is too big', vary, { model, size: '64x4096' }, 'invalid_size', 'size'],
  ['a size that is a number', generate, { model, prompt: 'x', size: 512 }, 'invalid_size', 'size'],
  ['n of zero', generate, { model, prompt: 'x', n: 0 }, 'invalid_n', 'n'],
  ['n of eleven', generate, { model, prompt: 'x', n: 11 }, 'invalid_n', 'n'],
  ['n of a half', generate, { model, prompt: 'x', n: 0.5 }, 'invalid_n', 'n'],
  ['n in words', edit, { model, prompt: 'x', n: 'two' }, 'invalid_n', 'n'],
  [
    'another delivery',
    generate,
    { model, prompt: 'x', response_format: 'webp' },
    'invalid_response_format',
    'response_format',
  ],
  [
    'another format',
    generate,
    { model, prompt: 'x', output_format: 'gif' },
    'invalid_output_format',
    'output_format',
  ],
  [
    'a compression of 101',
    vary,
    { model, output_format: 'jpeg', output_compression: '101' },
    'invalid_output_compression',
    'output_compression',
  ],
  [
    'a compressed PNG',
    generate,
    { model, prompt: 'x', output_compression: 50 },
    'invalid_output_compression',
    'output_compression',
  ],
  [
    'a transparent JPEG',
    generate,
    { model, prompt: 'x', output_format: 'jpeg', background: 'transparent' },
    'invalid_background',
    'background',
  ],
  [
    'an edit cut out',
    edit,
    { model, prompt: 'x', background: 'transparent' },
    'invalid_background',
    'background',
  ],
  [
    'a background of another kind',
    generate,
    { model, prompt: 'x', background: 1 },
    'invalid_background',
    'background',
  ],
  ['a quality that is no text', generate, { model, prompt: 'x', quality: 3 }, 'invalid_quality', 'quality'],
  ['a stream of variations', vary, { model, stream: true }, 'unsupported_stream', 'stream'],
  ['a stream in words', generate, { model, prompt: 'x', stream: 'yes' }, 'invalid_stream', 'stream'],
  [
    'four partial images',
    generate,
    { model, prompt: 'x', stream: true, partial_images: 4 },
    'invalid_partial_images',
    'partial_images',
  ],
] as const)('%s is answered with 400', async (_, endpoint, fields, code, param) => {
  const error = await failure(call(endpoint, fields, { image: png }))
  expect([error.status, error.code, error.param]).toEqual([400, code, param])
})

test('the model is optional, and with a list of names another one is a 404', async () => {
  const { json } = await call(generate, { prompt: 'a cat', size: '32x32' })
  expect(sizeOf(json.data[0])).toEqual([32, 32])
  const named = imageEndpoints({ links, work, models: ['planner', 'gpt-image-1'] })
  const error = await failure(call(named.generate, { model: 'planner', prompt: 'x' }))
  expect([error.status, error.code]).toEqual([404, 'model_not_found'])
  expect(error.message).toContain('gpt-image-1')
})

test('a missing image, an invalid one and a mask of another size are 400', async () => {
  const fields = { model, prompt: 'add a cat' }
  const text = Buffer.from('hello')
  const small = encodePng(blankPicture(8, 8))
  const errors = await Promise.all([
    failure(call(edit, fields)),
    failure(call(vary, fields)),
    failure(call(edit, fields, { image: text })),
    failure(call(edit, fields, { image: png, mask: text })),
    failure(call(edit, fields, { image: png, mask: small })),
  ])
  expect(errors.map(({ status, code, param }) => [status, code, param])).toEqual([
    [400, 'missing_file', 'image'],
    [400, 'missing_file', 'image'],
    [400, 'invalid_image', 'image'],
    [400, 'invalid_image', 'mask'],
    [400, 'mask_size_mismatch', 'mask'],
  ])
})

test('a disconnect stops the work between two images', async () => {
  const controller = new AbortController()
  const work = generate({
    ...requestOf({ model, prompt: 'a cat', size: '16x16', n: 10 }),
    signal: controller.signal,
  })
  controller.abort()
  await expect(work).rejects.toThrow('aborted')
})

/** Marks the upper third. */
function maskOf(): Uint8Array {
  const pixels = new Uint8ClampedArray(48 * 32 * 4).fill(255, 48 * 10 * 4)
  return encodePng({ ...blankPicture(48, 32), pixels })
}

interface Entry {
  readonly url?: string
  readonly b64_json?: string
  readonly revised_prompt?: string
}

interface Answer {
  readonly json: { readonly created: number; readonly data: readonly Entry[] }
  readonly headers?: Readonly<Record<string, string>>
}

function requestOf(fields: Record<string, unknown>, files: Record<string, Uint8Array> = {}): ServiceRequest {
  const uploaded = Object.entries(files).map(([name, bytes]) => [
    name,
    { name: `${name}.png`, mediaType: 'image/png', bytes },
  ])
  return {
    fields,
    files: Object.fromEntries(uploaded),
    origin: 'http://127.0.0.1:4100',
    headers: {},
    isLocal: true,
    signal: new AbortController().signal,
  }
}

async function call(
  endpoint: Endpoint,
  fields: Record<string, unknown>,
  files?: Record<string, Uint8Array>,
): Promise<Answer> {
  return (await endpoint(requestOf(fields, files))) as Answer
}

function bytesOf(entry: Entry | undefined): Uint8Array {
  return Buffer.from(entry?.b64_json ?? '', 'base64')
}

function sizeOf(entry: Entry | undefined): [number, number] {
  const { width, height } = parsePng(bytesOf(entry), 'image')
  return [width, height]
}

async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ServiceError) return error
  throw new Error('expected a ServiceError')
}
