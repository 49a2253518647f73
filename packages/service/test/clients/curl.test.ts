import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { localService } from '../local-service.js'
import { sentence, shareHeard } from './words-heard.js'

const isThere = spawnSync('curl', ['--version']).status === 0
if (!isThere) console.warn('curl is not installed: its tests are skipped.')

const run = promisify(execFile)
// A recogniser takes a while to load.
const patience = { timeout: 120_000 }

describe.skipIf(!isThere)('curl', () => {
  const { service } = localService()
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'capstan-curl-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
  })

  async function curl(path: string, ...args: string[]): Promise<string> {
    const key = ['-H', `Authorization: Bearer ${service.apiKey}`]
    const { stdout } = await run('curl', ['-sS', '--fail-with-body', ...key, ...args, service.baseURL + path])
    return stdout
  }

  const json = (fields: object) => ['-H', 'Content-Type: application/json', '-d', JSON.stringify(fields)]

  test('chats, complete and streamed', async () => {
    const asked = { model: 'planner', messages: [{ role: 'user', content: 'What is 12 * 12?' }] }
    const { choices } = JSON.parse(await curl('/chat/completions', ...json(asked)))
    expect(choices[0].message.role).toBe('assistant')
    const stream = await curl('/chat/completions', '-N', ...json({ ...asked, stream: true }))
    expect(stream).toMatch(/^data: \{[\s\S]+\n\ndata: \[DONE\]\n\n$/)
  })

  test('paints, edits and varies an image', patience, async () => {
    const [picture, model] = [join(folder, 'cat.png'), 'gpt-image-1']
    const painted = await curl('/images/generations', ...json({ model, prompt: 'a cat', size: '64x64' }))
    await writeFile(picture, Buffer.from(JSON.parse(painted).data[0].b64_json, 'base64'))
    const form = ['-F', `model=${model}`, '-F', `image=@${picture}`]
    for (const [path, ...more] of [
      ['/images/edits', '-F', 'prompt=add a balloon'],
      ['/images/variations'],
    ] as const) {
      const { data } = JSON.parse(await curl(path, ...form, ...more))
      expect(Buffer.from(data[0].b64_json, 'base64').toString('latin1', 1, 4)).toBe('PNG')
    }
  })

  slowTest('speaks, hears what was said, and translates it', patience, async () => {
    const sound = join(folder, 'speech.wav')
    const asked = { model: 'gpt-4o-mini-tts', voice: 'slt', input: sentence, response_format: 'wav' }
    await curl('/audio/speech', ...json(asked), '-o', sound)
    expect((await readFile(sound)).toString('latin1', 0, 4)).toBe('RIFF')
    const form = ['-F', 'model=whisper-1', '-F', `file=@${sound}`]
    for (const path of ['/audio/transcriptions', '/audio/translations']) {
      expect(shareHeard(JSON.parse(await curl(path, ...form)).text)).toBeGreaterThan(0.6)
    }
  })

  test('lists the models', async () => {
    expect(JSON.parse(await curl('/models')).data.length).toBeGreaterThan(4)
  })
})
