import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type ChatModel, ledger, memoryArtifacts, memoryLedger } from '@capstan/core'
import { pcmFmt, wavHeader } from '@capstan/formats/wav'
import { expect, test } from 'vitest'
import { calling } from '../test/calling.js'
import { mediaTools } from './tools/media-tools.js'

/** A server that answers every request with one image, and counts them. */
async function startPainter() {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ created: 1, data: [{ b64_json: pixel }], text: 'Hello there.' }))
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    client: { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: '' },
    get requests() {
      return requests
    },
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
  }
}

const draw = (n: number) => ({ name: 'generate_image', arguments: { prompt: `a cat, ${n}`, n } })

test('counts images before the request: one above the limit is never requested, and the run gives its final answer', async () => {
  await using painter = await startPainter()
  const model = calling(draw(2), draw(1))
  const agent = new Agent({ model, tools: mediaTools({ client: painter.client }), limits: { images: 2 } })
  const result = await agent.run('Draw.')
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'images', usage: { images: 2 } })
  expect(result.toolCalls).toMatchObject([{ status: 'ok' }, { status: 'error' }])
  expect(painter.requests).toBe(1)
})

test('counts characters for speech and seconds for transcription, each at the price of its model', async () => {
  await using painter = await startPainter()
  const artifacts = memoryArtifacts()
  // 16 bit mono at 8 kHz: two seconds.
  const { id } = await artifacts.put(wav(2), { kind: 'audio', mediaType: 'audio/wav' })
  const model = calling({ name: 'transcribe_audio', arguments: { file: id } }, draw(1))
  const price = {
    'whisper-1': { audioSeconds: 0.5 },
    'gpt-image-1': { images: 3 },
    m: { inputTokens: 0, outputTokens: 0 },
  }
  const tools = mediaTools({ client: painter.client })
  const { usage } = await new Agent({ model, tools, artifacts, price }).run('Listen, then draw.')
  expect(usage).toMatchObject({ audioSeconds: 2, images: 1, cost: 'unknown' })
  const reporting: ChatModel = {
    name: 'm',
    complete: async (request) => ({
      ...(await second.complete(request)),
      tokens: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    }),
  }
  const second = calling({ name: 'transcribe_audio', arguments: { file: id } }, draw(1))
  const known = await new Agent({ model: reporting, tools, artifacts, price }).run('Listen, then draw.')
  expect(known.usage.cost).toBe(4)
})

test('reserves images and seconds in a ledger: what does not fit is not requested', async () => {
  await using painter = await startPainter()
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(wav(2), { kind: 'audio', mediaType: 'audio/wav' })
  const listen = { name: 'transcribe_audio', arguments: { file: id } }
  const tools = mediaTools({ client: painter.client })
  const store = memoryLedger()
  const limits = { images: 3, audioSeconds: 3 }
  const middleware = [ledger({ store, key: () => 'ada', limits, per: 1e12 })]
  const run = (...calls: readonly { readonly name: string; readonly arguments: object }[]) =>
    new Agent({ model: calling(...calls.map((call) => ({ ...call }))), tools, artifacts, middleware }).run(
      'Go.',
    )
  expect(await run(draw(2), listen)).toMatchObject({ stopReason: 'done' })
  expect(painter.requests).toBe(2)
  const over = await run(draw(2))
  expect(over).toMatchObject({ limit: 'ledger', toolCalls: [{ status: 'not_run' }] })
  expect(await run(listen)).toMatchObject({ limit: 'ledger', toolCalls: [{ status: 'error' }] })
  expect(painter.requests).toBe(2)
  const probe = { id: 'probe', account: 'ada', per: 1e12, limits, amounts: {}, reserveMs: 1 }
  expect((await store.reserve(probe)).left).toEqual({ images: 1, audioSeconds: 1 })
})

test('taints the run by a transcription, and not by an image', async () => {
  await using painter = await startPainter()
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(wav(1), { kind: 'audio', mediaType: 'audio/wav' })
  const model = calling({ name: 'transcribe_audio', arguments: { file: id } }, draw(1))
  const result = await new Agent({ model, tools: mediaTools({ client: painter.client }), artifacts }).run(
    'Go.',
  )
  expect(result.stopReason).toBe('done')
  expect(result.state.taintedBy).toBe('transcribe_audio')
})

function wav(seconds: number): Uint8Array {
  const size = seconds * 16_000
  return Buffer.concat([wavHeader(pcmFmt(8000, 16), size), Buffer.alloc(size)])
}
