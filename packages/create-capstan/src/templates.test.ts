import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openModelServer } from '../templates/tools/src/model-server.js'
import { templates } from './create-project.js'

const said: string[] = []
beforeEach(() => {
  said.length = 0
  vi.spyOn(console, 'error').mockImplementation((line) => said.push(line))
  vi.stubEnv('OPENAI_BASE_URL', '')
  vi.stubEnv('OPENAI_API_KEY', '')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test('every template chooses its model server in the same way', () => {
  const texts = Object.keys(templates).map((name) =>
    readFileSync(new URL(`../templates/${name}/src/model-server.ts`, import.meta.url), 'utf8'),
  )
  expect(new Set(texts).size).toBe(1)
})

test('with an address alone its server replies', async () => {
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
  await openModelServer()
  expect(process.env).toMatchObject({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'none' })
  expect(said).toEqual(['http://127.0.0.1:9/v1 replies.'])
})

test('with a key alone the usual server replies', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'a-key')
  await openModelServer()
  expect(process.env).toMatchObject({ OPENAI_BASE_URL: '', OPENAI_API_KEY: 'a-key' })
  expect(said).toEqual(['https://api.openai.com/v1 replies.'])
})

test('with neither the local service replies', async () => {
  const server = await openModelServer()
  const { OPENAI_BASE_URL = '', OPENAI_API_KEY } = process.env
  const response = await fetch(`${OPENAI_BASE_URL}/models`, {
    headers: { authorization: `Bearer ${OPENAI_API_KEY}` },
  })
  expect(response.status).toBe(200)
  expect(said).toEqual([
    'No API key is set, so the local service replies. It follows rules; it is not a language model.',
  ])
  await server.close()
})
