// Uploads and downloads files of 50 MB. Prints the maximum memory growth each way, and fails above 20 MB, or 30 for
// speech in parts. The service is another process, and each way a new one, so that only the tool is measured. node
// --conditions=development --import=tsx packages/media/test/prove-large-files.ts

import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderArtifacts } from '@capstan/core/node'
import { writePng } from '@capstan/formats/write-png'
import { encode, encodeWav } from '@capstan/speech'
import { editImage, generateImage, type MediaOptions, speak, transcribeAudio } from '../src/index.js'

/** Garbage of many requests is collected later than that of one. */
const limitOf = (name: string) => (name.includes('parts') ? 30 : 20)
const sizes = { small: 2e6, large: 50e6 } as const
type Size = keyof typeof sizes

interface Place {
  readonly folder: string
  readonly options: MediaOptions
  /** The hash of each file, by name. */
  readonly hashes: Readonly<Record<string, string>>
}

/** Transfers a file of the given size. Rejects if another one arrived. */
type Way = (size: Size, place: Place) => Promise<void>

const ways: Readonly<Record<string, Way>> = {
  '50 MB upload, a recording': async (size, { folder, options }) => {
    const listen = transcribeAudio({ ...options, audio: { maxBytes: 60e6 } })
    await listen.call({ file: { path: join(folder, `${size}.wav`) } })
  },
  '50 MB upload, a recording as a Blob': async (size, { folder, options }) => {
    const listen = transcribeAudio({ ...options, audio: { maxBytes: 60e6 } })
    await listen.call({ file: await openAsBlob(join(folder, `${size}.wav`)) })
  },
  '50 MB upload, a picture': async (size, { folder, options }) => {
    await editImage(options).call({ image: { path: join(folder, `${size}.png`) }, prompt: 'a hat' })
  },
  '50 MB download, speech': async (size, { options, hashes }) => {
    const { audio } = await speak(options).call({ input: `${size}.wav` })
    if (audio.sha256 !== hashes[`${size}.wav`]) throw new Error('It is not what was sent.')
  },
  '50 MB download, speech in MP3 of unknown length': async (size, { options, hashes }) => {
    const { audio } = await speak(options).call({ input: `${size}.mp3`, format: 'mp3' })
    if (audio.sha256 !== hashes[`${size}.mp3`]) throw new Error('It is not what was sent.')
    if (audio.durationMs === undefined) throw new Error('Its duration is unknown.')
  },
  '50 MB download, speech in parts': async (size, { options }) => {
    const input = 'One part. '.repeat(Math.max(2, sizes[size] / sizes.small))
    const { audio } = await speak({ ...options, speech: { maxCharacters: 10 } }).call({ input })
    if (audio.size < sizes[size] * 0.99) throw new Error('It is not what was sent.')
  },
  '50 MB download, a picture by its address': async (size, { options, hashes }) => {
    const { images } = await generateImage(options).call({ prompt: `${size}.png` })
    if (images[0]?.sha256 !== hashes[`${size}.png`]) throw new Error('It is not what was sent.')
  },
}

async function measure(name: string, place: Place): Promise<void> {
  const way = ways[name]
  if (!way) throw new Error(`There is no way "${name}".`)
  // Loading modules does not count.
  for (let i = 0; i < 3; i++) await way('small', place)
  const before = process.memoryUsage.rss()
  await way('large', place)
  const grown = (process.resourceUsage().maxRSS * 1024 - before) / 1e6
  console.log(`${name}: grew by ${grown.toFixed(0)} MB (limit ${limitOf(name)} MB)`)
  if (!(grown <= limitOf(name))) process.exitCode = 1
}

/** Message of the other process. */
interface Ready {
  readonly baseURL: string
  readonly hashes: Place['hashes']
}

/** A service that knows the expected file, and sends the file with the requested name. */
async function serve(folder: string): Promise<void> {
  const second = await encode({ samples: new Int16Array(48_000), sampleRate: 48_000 }, 'mp3')
  const files: ReadonlyMap<string, Uint8Array> = new Map(
    Object.entries(sizes).flatMap(([size, bytes]) => [
      [`${size}.wav`, wav(bytes)] as const,
      [`${size}.mp3`, mp3(second, bytes)] as const,
      [`${size}.png`, png(bytes)] as const,
    ]),
  )
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes)
  const hashes = Object.fromEntries([...files].map(([name, bytes]) => [name, hashOf(bytes)]))
  const known = new Set(Object.values(hashes))
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const [, name = ''] = /^\/files\/(.*)$/.exec(request.url ?? '') ?? []
    if (name) return response.end(files.get(name))
    if (request.url?.endsWith('/speech')) {
      const { input, format = 'wav' } = JSON.parse(String(body))
      response.setHeader('content-type', format === 'mp3' ? 'audio/mpeg' : 'audio/wav')
      // A length is declared when the whole body is known at once.
      if (format === 'mp3') response.flushHeaders()
      return response.end(files.get(input) ?? files.get('small.wav'))
    }
    response.setHeader('content-type', 'application/json')
    if (request.url?.endsWith('/generations'))
      return response.end(JSON.stringify({ data: [{ url: `/files/${JSON.parse(String(body)).prompt}` }] }))
    if (!known.has(await sentHash(request, body))) response.statusCode = 422
    response.end(JSON.stringify({ text: 'heard', data: [{ url: '/files/small.png' }] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.send?.({ baseURL: `http://127.0.0.1:${port}/v1`, hashes } satisfies Ready)
  await once(process, 'disconnect')
  server.close()
  server.closeAllConnections()
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The hash of the file in a form. */
async function sentHash({ headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<string> {
  const form = new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } })
  const files = [...(await form.formData()).values()].filter((value) => typeof value !== 'string')
  return hashOf(new Uint8Array((await files[0]?.arrayBuffer()) ?? new ArrayBuffer()))
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function wav(bytes: number): Uint8Array {
  return encodeWav({ samples: new Int16Array(randomBytes(bytes - 44).buffer), sampleRate: 48_000 })
}

/** An MP3 of many equal seconds. */
function mp3(second: Uint8Array, bytes: number): Uint8Array {
  return Buffer.concat(Array.from({ length: Math.round(bytes / second.length) }, () => second))
}

/** Pixel data in chunks as encoders write them; nothing unpacks it. */
function png(bytes: number): Uint8Array {
  const empty = writePng({ width: 4000, height: 4000, packed: randomBytes(0) })
  const part = Buffer.from(writePng({ width: 1, height: 1, packed: randomBytes(32_768) }).subarray(33, -12))
  const parts = Array.from({ length: Math.round(bytes / part.length) }, () => part)
  return Buffer.concat([empty.subarray(0, 33), ...parts, empty.subarray(-12)])
}

async function main(): Promise<void> {
  const [folder, name] = process.argv.slice(2)
  if (folder && !name) return serve(folder)
  if (folder && name) {
    const [{ baseURL, hashes }] = (await once(process, 'message')) as [Ready]
    process.disconnect()
    const artifacts = folderArtifacts(join(folder, 'artifacts'))
    return measure(name, { folder, hashes, options: { client: { baseURL, apiKey: '' }, artifacts } })
  }
  const made = await mkdtemp(join(tmpdir(), 'large-files-'))
  const service = start(made)
  try {
    const [ready] = (await Promise.race([once(service, 'message'), gone(service)])) as [Ready]
    for (const way of Object.keys(ways)) {
      const measured = start(made, way)
      measured.send(ready)
      const [code] = await once(measured, 'exit')
      if (code !== 0) process.exitCode = 1
    }
  } finally {
    if (service.connected) {
      service.disconnect()
      await once(service, 'exit')
    }
    await rm(made, { recursive: true, force: true })
  }
}

function start(...told: string[]): ChildProcess {
  return fork(fileURLToPath(import.meta.url), told)
}

async function gone(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('The service ended.')
}

main()
