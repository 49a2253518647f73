import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect } from 'vitest'
import { mcpTools } from '../../../mcp/src/index.js'
import { asksTwice, serveAsking } from '../../../mcp/test/asking-servers.js'
import { test, usePostgres } from '../postgres.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

test('a stored run waits for each answer to an MCP server', async () => {
  const asking = await serveAsking(asksTwice)
  const server = await mcpTools({ url: asking.url })
  const model = scriptedModel([
    reply.call('book', {}, { id: 'c1' }),
    ({ messages }) => reply.text(String(messages.at(-1)?.content)),
  ])
  const runs = kept(new Agent({ name: 'clerk', model, tools: server.tools }))
  await working(runs)
  const { pending } = await runs.run('Go.', { runId: 'asks' })
  expect(pending).toMatchObject([{ callId: 'c1/question1', kind: 'input' }])
  const oslo = { type: 'result', value: { city: 'Oslo' } } as const
  await runs.decide('asks', 'c1/question1', oslo)
  expect((await runs.result('asks')).pending).toMatchObject([{ callId: 'c1/question2' }])
  await runs.decide('asks', 'c1/question2', oslo)
  expect((await runs.result('asks')).text).toMatch(/^Booked/)
  expect(asking.seen).toHaveLength(3)
  await server.close()
})
