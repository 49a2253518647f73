import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../start-service.js'
import { startService } from '../start-service.js'

let service: Service

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

async function listen(path: string, fields: Record<string, string | Blob>): Promise<unknown> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const response = await fetch(`${service.baseURL}/audio/${path}`, { method: 'POST', headers, body })
  const { error } = (await response.json()) as { error: { code: string; param: string | null } }
  return [response.status, error.code, error.param]
}

const model = 'whisper-1'
const file = new Blob(['RIFF'], { type: 'audio/wav' })

test.each(['transcriptions', 'translations'])(
  '%s check the form, then say that there is no recogniser',
  async (path) => {
    expect(await listen(path, { file })).toEqual([400, 'missing_model', 'model'])
    expect(await listen(path, { model: 'planner', file })).toEqual([404, 'model_not_found', 'model'])
    expect(await listen(path, { model })).toEqual([400, 'missing_file', 'file'])
    expect(await listen(path, { model, file: 'a.wav' })).toEqual([400, 'missing_file', 'file'])
    expect(await listen(path, { model, file: new Blob([]) })).toEqual([400, 'empty_file', 'file'])
    expect(await listen(path, { model, file })).toEqual([501, 'not_implemented_engine', null])
  },
)

test('the official client is told so in a sentence', async () => {
  const client = new OpenAI({ ...service, maxRetries: 0 })
  const asked = client.audio.transcriptions.create({
    model,
    file: await toFile(Buffer.from('RIFF'), 'a.wav'),
  })
  await expect(asked).rejects.toThrow('cannot transcribe speech')
})
