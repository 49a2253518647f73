import { Agent, type ChatModel } from '@capstan/core'
import { expect, test } from 'vitest'
import { bytesOf, filledStore } from '../../test/artifacts.js'
import { startMediaServer, testKey } from '../../test/media-server.js'
import { transcribeAudio, translateAudio } from './transcribe-audio.js'

test('sends the recording as a file of its format, and returns the text', async () => {
  const { store, recording } = await filledStore()
  const server = await startMediaServer(() => ({ body: { text: 'Hello there.' } }))
  const result = await transcribeAudio({ client: server.client }).call(
    { file: recording.id },
    { artifacts: store },
  )
  expect(result).toEqual({ text: 'Hello there.' })
  const [request] = server.arrived
  expect(request?.path).toBe('/v1/audio/transcriptions')
  expect(request?.headers.authorization).toBe(`Bearer ${testKey}`)
  expect(request?.fields).toEqual({ model: 'whisper-1' })
  expect(request?.files).toEqual({
    file: { name: `${recording.id}.wav`, type: 'audio/wav', bytes: await bytesOf(store, recording) },
  })
})

test('returns an empty text for silence', async () => {
  const { store, recording } = await filledStore()
  const server = await startMediaServer(() => ({ body: { text: '' } }))
  const result = await transcribeAudio({ client: server.client }).call(
    { file: recording.id },
    { artifacts: store },
  )
  expect(result).toEqual({ text: '' })
})

test.each([transcribeAudio, translateAudio])(
  'tells models that a recording is silent: %#',
  async (toolOf) => {
    const { store, recording } = await filledStore()
    const server = await startMediaServer(() => ({ body: { text: ' ' } }))
    const heard = toolOf({ client: server.client })
    const call = { name: heard.name, arguments: JSON.stringify({ file: recording.id }) }
    const replies = [
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
      { role: 'assistant', content: 'It is silent.' },
    ] as const
    let asked = 0
    const model: ChatModel = {
      name: 'm',
      complete: async () => ({ message: replies[asked++] ?? replies[1], finishReason: 'stop' }),
    }
    const { toolCalls } = await new Agent({ model, tools: [heard], artifacts: store }).run('What is said?')
    expect(toolCalls[0]?.content).toContain('No speech was found in the recording.')
  },
)

test('reports the response without a text', async () => {
  const { store, recording } = await filledStore()
  const server = await startMediaServer(() => ({ body: { task: 'transcribe' } }))
  const asked = transcribeAudio({ client: server.client }).call({ file: recording.id }, { artifacts: store })
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_response',
    message: '/audio/transcriptions responded without text. It sent: {"task":"transcribe"}',
  })
})

test('rejects an image as a recording, and lists the recordings', async () => {
  const { store, image, recording } = await filledStore()
  const asked = transcribeAudio().call({ file: image.id as `aud_${string}` }, { artifacts: store })
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining(`The newest are: ${recording.id}.`),
  })
})

test('reports a server without transcription as unsupported, with its message', async () => {
  const { store, recording } = await filledStore()
  const error = { message: 'No recogniser yet.', type: 'server_error', code: 'not_implemented', param: null }
  const server = await startMediaServer(() => ({ status: 501, body: { error } }))
  const { maxRetries: _, ...retrying } = server.client
  const asked = transcribeAudio({ client: retrying }).call({ file: recording.id }, { artifacts: store })
  await expect(asked).rejects.toMatchObject({
    code: 'unsupported',
    status: 501,
    retryable: false,
    message: expect.stringContaining('/audio/transcriptions responded 501: No recogniser yet.'),
  })
  expect(server.arrived).toHaveLength(1)
})
