// Transcribes a recording of an hour in chunks. Prints the maximum memory growth, and fails above 100 MB. The
// recording is created and the service runs in another process, so that only the tool is measured. node
// --conditions=development --import=tsx packages/media/test/long-recording.ts [minutes]

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderArtifacts } from '@capstan/core/node'
import { encodeWav, synthesize } from '@capstan/speech'
import { transcribeAudio } from '../src/index.js'

const mostMegabytes = 100

/** Message of the other process: the ids of a short and a long recording, and the address of the service. */
interface Ready {
  readonly short: `aud_${string}`
  readonly long: `aud_${string}`
  readonly baseURL: string
}

async function listen(folder: string, { short, long, baseURL }: Ready): Promise<void> {
  const artifacts = folderArtifacts(folder)
  const { call } = transcribeAudio({ client: { baseURL, apiKey: '' } })
  // Loading modules does not count.
  await call({ file: short }, { artifacts })
  const before = process.memoryUsage.rss()
  let peak = before
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 5)
  const start = performance.now()
  const { text } = await call({ file: long }, { artifacts })
  clearInterval(sampler)
  const heard = [...text.matchAll(/([\d.]+) seconds/g)].map(([, seconds]) => Number(seconds))
  const [total, grown] = [heard.reduce((sum, one) => sum + one, 0), (peak - before) / 1e6]
  const took = ((performance.now() - start) / 1000).toFixed(1)
  console.log(
    `${(total / 60).toFixed(1)} minutes in ${heard.length} pieces of at most ${Math.max(...heard)} s, in ${took} s: peak memory grew by ${grown.toFixed(0)} MB (limit ${mostMegabytes} MB).`,
  )
  if (grown >= mostMegabytes) process.exitCode = 1
}

/** A sentence and a pause, repeated. */
async function record(minutes: number): Promise<Uint8Array> {
  const { samples, sampleRate } = await synthesize({
    text: 'The harbour was quiet, and no one had seen the ship arrive.',
  })
  const turn = samples.length + sampleRate
  const all = new Int16Array(minutes * 60 * sampleRate)
  for (let at = 0; at < all.length; at += turn) all.set(samples.subarray(0, all.length - at), at)
  return encodeWav({ samples: all, sampleRate })
}

/** A service that answers with the duration of each file. */
async function serve(folder: string, minutes: number): Promise<void> {
  const artifacts = folderArtifacts(folder)
  const info = { kind: 'audio', mediaType: 'audio/wav' } as const
  const short = await artifacts.put(await record(0.1), info)
  const long = await artifacts.put(await record(minutes), info)
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ text: `That were ${await secondsOf(request)} seconds.` }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.send?.({ short: short.id, long: long.id, baseURL: `http://127.0.0.1:${port}/v1` } satisfies Ready)
  await once(process, 'disconnect')
  server.close()
  server.closeAllConnections()
}

async function secondsOf(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const wav = body.subarray(body.indexOf('RIFF'))
  return Math.round((wav.readUInt32LE(40) / wav.readUInt32LE(28)) * 10) / 10
}

async function main(): Promise<void> {
  const [minutes = '60', folder] = process.argv.slice(2)
  if (folder !== undefined) return serve(folder, Number(minutes))
  const made = await mkdtemp(join(tmpdir(), 'long-recording-'))
  const other = fork(fileURLToPath(import.meta.url), [minutes, made])
  try {
    const died = once(other, 'exit').then(() => Promise.reject(new Error('The other process ended.')))
    const [ready] = (await Promise.race([once(other, 'message'), died])) as [Ready]
    died.catch(() => {})
    await listen(made, ready)
  } finally {
    if (other.connected) {
      other.disconnect()
      await once(other, 'exit')
    }
    await rm(made, { recursive: true, force: true })
  }
}

main()
