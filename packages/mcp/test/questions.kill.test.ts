import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, type RunState } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { mcpTools } from '../src/index.js'
import { asksTwice, serveAsking, serveOlderAsking } from './asking-servers.js'
import { typescript } from './command.js'

const program = fileURLToPath(new URL('./asking-run.ts', import.meta.url))
const oslo = { type: 'result', value: { city: 'Oslo' } } as const

/** The state of a run in a process that was killed while its question waited. */
async function killedRun(url: string): Promise<RunState> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-killed-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'state.json')
  const child = spawn(process.execPath, [...typescript, program, url, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of child.stdout) if (String(text).includes('waits for c1/question1')) break
  child.kill('SIGKILL')
  await once(child, 'exit')
  return JSON.parse(await readFile(file, 'utf8'))
}

async function resume(url: string, state: RunState, callId: string) {
  const server = await mcpTools({ url })
  onTestFinished(() => server.close())
  const model = scriptedModel([({ messages }) => reply.text(`It said: ${messages.at(-1)?.content}`)])
  const agent = new Agent({ name: 'clerk', model, tools: server.tools })
  return agent.run(state, { decisions: { [callId]: oslo } })
}

test('a process that is killed while a question of 2026 waits loses nothing', async () => {
  const { url, seen } = await serveAsking(asksTwice)
  const state = await killedRun(url)
  const next = await resume(url, state, 'c1/question1')
  expect(next.pending).toMatchObject([{ callId: 'c1/question2' }])
  const { text } = await resume(url, next.state, 'c1/question2')
  expect(text).toBe('It said: Booked: {"city":{"action":"accept","content":{"city":"Oslo"}}}')
  // The first call, and once for each answer.
  expect(seen).toHaveLength(3)
})

test('a process that is killed while a question of 2025 waits loses the question, and the model reads so', async () => {
  const { url, calls } = await serveOlderAsking(async (elicit) => JSON.stringify(await elicit('Which city?')))
  const state = await killedRun(url)
  const { text, toolCalls } = await resume(url, state, 'c1/question1')
  expect(text).toMatch(/^It said: Error: The connection ended before the server got the answer/)
  expect(toolCalls).toMatchObject([{ name: 'book', status: 'error' }])
  expect(calls()).toBe(1)
})
