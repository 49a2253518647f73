import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { Agent, type ArtifactKind } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { writePng } from '@capstan/formats/write-png'
import { encode } from 'fast-png'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { editImage, generateImage, type MediaOptions, mediaTools, varyImage } from '../src/index.js'
import { base64, wav } from './artifacts.js'
import { calling } from './calling.js'
import { png } from './png.js'

// Each case must end in a clear error, reach nothing private, and leave the run going.

const picture = png(64, 48)
const zip = Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, ...new Array<number>(40).fill(7)])
const truncated = picture.subarray(0, picture.length - 20)
/** A header with this size, followed by few bytes. */
const bomb = (width: number, height: number) =>
  writePng({ width, height, packed: deflateSync(new Uint8Array(100)) })

let home: string
let servers: Awaited<ReturnType<typeof startServers>>

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'bad-inputs-'))
  servers = await startServers()
  await mkdir(join(home, 'shared/inner'), { recursive: true })
  await mkdir(join(home, 'private'))
  await writeFile(join(home, 'private/secret.png'), picture)
  await writeFile(join(home, 'shared/text.png'), 'no picture')
  await writeFile(join(home, 'shared/archive.png'), zip)
  await writeFile(join(home, 'shared/fine.png'), picture)
  await symlink(join(home, 'private/secret.png'), join(home, 'shared/link.png'))
  await symlink(join(home, 'private'), join(home, 'shared/door'))
  execFileSync('mkfifo', [join(home, 'shared/pipe')])
})

afterAll(async () => {
  await servers.close()
  await rm(home, { recursive: true })
})

beforeEach(() => servers.forget())

/** A service, an allowed host that serves wrong content, and a canary that must not be reached. */
async function startServers() {
  const asked = { service: 0, canary: 0 }
  let reply: { status: number; type: string; body: string | Uint8Array }
  const forget = () => {
    Object.assign(asked, { service: 0, canary: 0 })
    reply = {
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ data: [{ b64_json: base64(picture) }] }),
    }
  }
  forget()
  const service = createServer((request, response) => {
    asked.service++
    request.resume().on('end', () => {
      response.writeHead(reply.status, { 'content-type': reply.type }).end(reply.body)
    })
  })
  const canary = createServer((_, response) => {
    asked.canary++
    response.end(picture)
  })
  const host = createServer(({ url = '' }, response) => {
    const path = url.slice(1)
    if (path === 'page')
      response.setHeader('content-type', 'image/png').end('<html><title>Hello</title></html>')
    else if (path === 'empty') response.setHeader('content-type', 'image/png').end()
    else if (path === 'gone') response.writeHead(404).end('No such picture.')
    else if (path === 'slow') response.write(picture.subarray(0, 50))
    else if (path === 'cut')
      response.writeHead(200, { 'content-length': 9999 }).write(picture, () => response.destroy())
    else if (path === 'zipped') response.setHeader('content-encoding', 'gzip').end(picture)
    else if (path === 'loop') response.writeHead(302, { location: '/loop' }).end()
    else if (path === 'inside') response.writeHead(302, { location: originOf(canary) }).end()
    else if (path === 'scheme') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    else if (path === 'endless') {
      const more = () => {
        while (!response.destroyed && response.write(new Uint8Array(65_536)));
      }
      response.on('drain', more)
      more()
    } else response.end(picture)
  })
  const all = [service, canary, host]
  for (const server of all) await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    asked,
    forget,
    answer: (next: Partial<typeof reply>) => Object.assign(reply, next),
    service: originOf(service),
    host: originOf(host),
    canary: originOf(canary),
    canaryPort: (canary.address() as AddressInfo).port,
    async close() {
      for (const server of all) {
        const closed = new Promise<void>((done) => server.close(() => done()))
        server.closeAllConnections()
        await closed
      }
    },
  }
}

function originOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The allowed inputs, with small limits. */
function options(): MediaOptions {
  const hosts = ['cdn.example.com', servers.host.slice('http://'.length)]
  const allow = { folder: join(home, 'shared'), hosts, bytes: 1_000_000 }
  return { client: { baseURL: `${servers.service}/v1`, apiKey: '', maxRetries: 0 }, allow }
}

/** Runs a model that makes one call, and returns the result of the call. */
async function told(name: string, args: object, given: Partial<MediaOptions> = {}): Promise<string> {
  const artifacts = folderArtifacts(join(home, 'results'))
  const tools = mediaTools({ ...options(), ...given })
  const agent = new Agent({ model: calling({ name, arguments: args }), tools, artifacts })
  const { stopReason, text, toolCalls, state } = await agent.run('Go.')
  expect([stopReason, text]).toEqual(['done', 'Done.'])
  expect(toolCalls).toMatchObject([{ name, status: 'error' }])
  expect(JSON.stringify(state)).not.toMatch(/[A-Za-z0-9+/]{1024}/)
  return toolCalls[0]?.content ?? ''
}

async function put(
  bytes: Uint8Array,
  kind: ArtifactKind = 'image',
  mediaType = 'image/png',
): Promise<string> {
  return (await folderArtifacts(join(home, 'results')).put(bytes, { kind, mediaType })).id
}

const [width, height] = [64, 48]
const colored = encode({
  width,
  height,
  channels: 3,
  data: Uint8Array.from({ length: 9216 }, (_, i) => (i % 3) * 127),
})
const black = encode({ width, height, channels: 1, data: new Uint8Array(3072) })
const damaged = writePng({ width, height, packed: Uint8Array.of(1, 2, 3, 4) })
const overfull = writePng({ width, height, packed: deflateSync(new Uint8Array(50_000_000)) })

test.each([
  ['an id that does not exist', async () => 'img_unknown2', 'No artifact "img_unknown2"'],
  ['a recording', () => put(wav(), 'audio', 'audio/wav'), 'is audio, not image'],
  ['a truncated PNG', () => put(truncated), 'is cut off or damaged (image/png)'],
  [
    'a truncated JPEG',
    () => put(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0)),
    'is cut off or damaged (image/jpeg)',
  ],
  ['a zip named .png', () => put(zip), 'is not an image but application/zip'],
  ['a text', () => put(new TextEncoder().encode('hello')), 'is not an image but text'],
  ['no bytes', () => put(new Uint8Array()), 'is empty'],
  ['a bomb one pixel wide', () => put(bomb(1, 2_000_000_000)), 'is 1x2000000000 pixels'],
  ['a square bomb', () => put(bomb(30_000, 30_000)), 'is 30000x30000 pixels'],
  [
    'a data: address',
    async () => `data:image/png;base64,${base64(picture)}`,
    'does not accept the URL "data:image/png',
  ],
  ['a javascript: address', async () => 'javascript:alert(1)', 'does not accept the URL'],
])('image from a model: %s', async (_, image, words) => {
  expect(await told('vary_image', { image: await image() })).toContain(words)
  expect(servers.asked).toEqual({ service: 0, canary: 0 })
})

test.each([
  ['of another size', png(32, 32), 'is 32x32 pixels, but the image is 64x48'],
  ['in colour', colored, 'is a colour image without transparency'],
  ['that marks nothing', black, /is all black.*64x48 pixels/],
  ['with damaged pixels', damaged, 'cannot be unpacked'],
  ['that unpacks to more than it says', overfull, 'cannot be unpacked'],
  [
    'that is no PNG',
    Buffer.from('R0lGODlhQAAwAAAAACw=', 'base64'),
    'is image/gif, but the server accepts image/png. Use another',
  ],
])('mask: %s', async (_, mask, words) => {
  const [image, id] = [await put(picture), await put(mask)]
  expect(await told('edit_image', { image, mask: id, prompt: 'a hat' })).toMatch(words)
  expect(servers.asked.service).toBe(0)
})

test.each([
  ['outside the image', '{"x":500,"y":10,"width":20,"height":20}', 'box 1 is outside the image'],
  ['partly outside the image', '{"x":50,"y":10,"width":20,"height":20}', 'box 1 reaches outside the image'],
  ['at a negative position', '{"x":-5,"y":10,"width":20,"height":20}', 'box 1 starts at a negative position'],
  [
    'with swapped corners',
    '{"x":30,"y":30,"width":-20,"height":-20}',
    'box 1 has a negative width or height',
  ],
  ['that is empty', '{"x":5,"y":5,"width":0,"height":9}', 'box 1 is empty'],
  ['with nothing in it', '', 'marks nothing'],
])('region: %s', async (_, box, words) => {
  const region = JSON.parse(`{"boxes":[${box}]}`)
  const reply = await told('edit_image', { image: await put(picture), region, prompt: 'a hat' })
  expect(reply).toContain(`"region" ${words}. The image is 64x48 pixels`)
  expect(servers.asked.service).toBe(0)
})

test.each([
  ['file:../private/secret.png', 'it is outside the allowed folder'],
  ['file:%2e%2e/private/secret.png', 'it is outside the allowed folder'],
  ['file:%2e%2e%2fprivate%2fsecret.png', 'it is outside the allowed folder'],
  ['file:%252e%252e%252fprivate%252fsecret.png', 'There is no file'],
  ['file:inner/../../private/secret.png', 'it is outside the allowed folder'],
  ['file:..\\private\\secret.png', 'There is no file'],
  ['file:///etc/passwd', 'it is outside the allowed folder'],
  ['file:/etc/passwd', 'it is outside the allowed folder'],
  ['FILE:///etc/passwd', 'it is outside the allowed folder'],
  ['file://127.0.0.1/etc/passwd', 'it names another machine'],
  ['file:link.png', 'it is outside the allowed folder'],
  ['file:door/secret.png', 'it is outside the allowed folder'],
  ['file:.', 'it is outside the allowed folder'],
  ['file:inner', 'it is not a file'],
  ['file:pipe', 'it is not a file'],
  ['file:', 'it is not a valid path'],
  ['file:fine.png%00.txt', 'it is not a valid path'],
  ['file:%', 'it is not a valid path'],
  ['file:missing.png', 'There is no file'],
  ['file:text.png', 'is not an image but text'],
  ['file:archive.png', 'is not an image but application/zip'],
])('address from a model: "%s"', async (image, words) => {
  expect(await told('vary_image', { image })).toContain(words)
  expect(servers.asked.service).toBe(0)
})

const tricks = (port: number) => [
  `http://127.0.0.1:${port}/a`,
  `http://127.1:${port}/a`,
  `http://2130706433:${port}/a`,
  `http://0x7f000001:${port}/a`,
  `http://0177.0.0.1:${port}/a`,
  `http://0x7f.0.0.0x1:${port}/a`,
  `http://0.0.0.0:${port}/a`,
  `http://localhost:${port}/a`,
  `http://LOCALHOST.:${port}/a`,
  `http://sub.localhost:${port}/a`,
  `http://[::1]:${port}/a`,
  `http://[::]:${port}/a`,
  `http://[::ffff:127.0.0.1]:${port}/a`,
  `http://[::ffff:7f00:1]:${port}/a`,
  `http://[::127.0.0.1]:${port}/a`,
  `http://[64:ff9b::127.0.0.1]:${port}/a`,
  `http://[2002:7f00:1::]:${port}/a`,
  `http://cdn.example.com@127.0.0.1:${port}/a`,
  `http://127.0.0.1:${port}#@cdn.example.com/`,
  `http://①②⑦.⓪.⓪.①:${port}/a`,
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/a',
  'http://[fd00:ec2::254]/latest/meta-data',
  'http://10.0.0.1/a',
  'http://metadata.google.internal/a',
  'ftp://cdn.example.com/a',
  'http://[broken/a',
]

test('fetches no spelling of a private address, for a model or for a program', async () => {
  for (const address of tricks(servers.canaryPort)) {
    const refused = /is blocked|is not a public host|contains a user name|does not accept|no address/
    expect(await told('vary_image', { image: address }), address).toMatch(refused)
    const image = address as `http://${string}`
    await expect(varyImage(options()).call({ image }), address).rejects.toMatchObject({
      code: 'invalid_arguments',
    })
  }
  expect(servers.asked).toEqual({ service: 0, canary: 0 })
})

test('reaches no file and no host for a model without allow', async () => {
  for (const image of ['file:fine.png', `${servers.host}/fine`, 'https://cdn.example.com/a.png'])
    expect(await told('vary_image', { image }, { allow: {} })).toContain('pass an artifact id.')
  expect(servers.asked.service).toBe(0)
})

test.each([
  ['page', 'is not an image but text'],
  ['empty', 'is empty'],
  ['gone', 'the server returned 404: No such picture.'],
  ['slow', 'no response within 300 ms'],
  ['cut', 'could not be fetched'],
  ['zipped', 'the response is compressed (gzip)'],
  ['endless', 'it is larger than 1000000 bytes'],
  ['loop', 'it redirected more than 3 times'],
  ['inside', 'is blocked; only cdn.example.com and'],
  ['scheme', 'file:// is blocked'],
])('address of an allowed host: %s', async (path, words) => {
  // The others take as long as they need on a busy machine.
  const given = path === 'slow' ? { allow: { ...options().allow, seconds: 0.3 } } : {}
  expect(await told('vary_image', { image: `${servers.host}/${path}` }, given)).toContain(words)
  expect(servers.asked).toEqual({ service: 0, canary: 0 })
})

test.each([
  ['a data: address that is no base64', 'data:image/png;base64,<oops>', 'is not a valid data: URL'],
  ['a data: address without a comma', 'data:image/png;base64', 'is not a valid data: URL'],
  ['a data: address of a text', 'data:text/plain,hello', 'is not an image but text'],
  [
    'a megabyte of base64 that is not an image',
    `data:image/png;base64,${'AAAA'.repeat(300_000)}`,
    'is not an image but',
  ],
  ['a file that is not there', { path: '/nowhere/a.png' }, 'Cannot read "/nowhere/a.png"'],
  ['a folder', { path: '/' }, 'Cannot read "/"'],
  ['a Blob that lies', new Blob(['hello'], { type: 'image/png' }), 'is not an image but text'],
  ['bytes of a recording', wav(), 'is not an image but audio/wav'],
  ['an object', { uri: 'a.png' }, 'is not a valid input'],
  ['a number', 7, 'Invalid arguments for "vary_image"'],
])('image from a program: %s', async (_, image, words) => {
  const asked = varyImage(options()).call({ image: image as Uint8Array })
  await expect(asked).rejects.toThrow(words)
  expect(servers.asked.service).toBe(0)
})

const html = '<!doctype html><title>Bad gateway</title>'
const data = (...entries: object[]) => JSON.stringify({ data: entries })

test.each([
  ['a page', { type: 'text/html', body: html }, 'an HTML page, "Bad gateway"'],
  ['a page that says it is an image', { type: 'image/png', body: html }, 'its data is not an image'],
  ['502 with a page', { status: 502, type: 'text/html', body: html }, '/images/generations responded 502'],
  ['413', { status: 413, body: '{"error":{"message":"Too large."}}' }, 'responded 413: Too large.'],
  ['415', { status: 415, body: '{"error":{"message":"No such type."}}' }, 'responded 415: No such type.'],
  ['an entry with neither url nor b64_json', { body: data({ id: 1 }) }, 'has neither "url" nor "b64_json"'],
  ['no entry', { body: data() }, 'responded without images'],
  ['junk for base64', { body: data({ b64_json: '<oops>' }) }, 'is not base64'],
  ['junk for a data: address', { body: data({ url: 'data:image/png;base64,<oops>' }) }, 'is not a valid URL'],
  ['a truncated image', { body: data({ b64_json: base64(truncated) }) }, 'it is cut off (image/png)'],
  ['a zip', { body: data({ b64_json: base64(zip) }) }, 'its data is not an image'],
  [
    'a link to the machine itself',
    { body: data({ url: 'http://localhost/a' }) },
    'http://localhost is blocked',
  ],
  ['a link to a file', { body: data({ url: 'file:///etc/passwd' }) }, 'file:// is blocked'],
  ['half an answer', { body: '{"data":[{"b64_json":"iVBOR' }, 'responded without images'],
])('response of a service: %s', async (_, answer, words) => {
  servers.answer(answer)
  expect(await told('generate_image', { prompt: 'a cat' })).toContain(words)
})

test('does not follow a link to the canary, whatever redirects there', async () => {
  for (const url of [servers.canary, `${servers.host}/inside`]) {
    servers.answer({ body: data({ url }) })
    expect(await told('generate_image', { prompt: 'a cat' })).toContain('is blocked')
  }
  expect(servers.asked.canary).toBe(0)
})

test('rejects an unsupported size', async () => {
  const sizes = { 'gpt-image-1': ['1024x1024', '1536x1024'] }
  const tool = generateImage({ ...options(), sizes })
  await expect(tool.call({ prompt: 'a cat', size: '64x64' })).rejects.toThrow(
    'size: the model supports 1024x1024, 1536x1024: choose one of these',
  )
  expect(servers.asked.service).toBe(0)
})

test('rejects an unsupported image type without convert', async () => {
  const dialect = { takes: { types: ['image/png'] } }
  const gif = new Uint8Array(Buffer.from('R0lGODlhQAAwAAAAACw=', 'base64'))
  const asked = editImage({ ...options(), dialect }).call({ image: gif, prompt: 'a hat' })
  await expect(asked).rejects.toThrow('is image/gif, but the server accepts image/png. Use another image')
})

test('ignores a wrong Content-Type in favour of the content', async () => {
  const image = `${servers.host}/fine` as `http://${string}`
  servers.answer({ type: 'text/plain' })
  expect(await varyImage(options()).call({ image })).toMatchObject({ images: [{ mediaType: 'image/png' }] })
})

test('leaves nothing outside the given folders', async () => {
  expect((await readdir(home)).sort()).toEqual(['private', 'results', 'shared'])
  expect(await readdir(join(home, 'private'))).toEqual(['secret.png'])
  expect((await readdir(join(home, 'shared'))).length).toBe(7)
})
