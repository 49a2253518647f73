import { Agent, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import Database from 'libsql'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { d1OnSqlite } from '../../../packages/stores/test/d1/d1-on-sqlite.js'
import { workerOf } from './worker.js'

const send = (path: string, body?: object) =>
  new Request(`https://example.com/agent${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: 'Bearer user-ann', 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
  })

test('a run that waits in one worker is decided in another', async () => {
  const database = new Database(':memory:')
  onTestFinished(() => void database.close())
  const env = { DB: d1OnSqlite(database) }
  const booked: string[] = []
  const book = tool({
    name: 'book',
    description: 'Books',
    parameters: z.object({ city: z.string() }),
    needsApproval: true,
    execute: ({ city }) => void booked.push(city),
  })
  const worker = (step: ScriptStep) =>
    workerOf(new Agent({ name: 'clerk', model: scriptedModel([step]), tools: [book] }))
  const first = worker(reply.call('book', { city: 'Oslo' }))
  const second = worker(reply.text('Booked.'))

  const asked = await (
    await first.fetch(send('/runs', { input: 'Book Oslo.', session: 'trip', stream: false }), env)
  ).json()
  expect(asked.stopReason).toBe('pending')
  await second.scheduled(undefined, env)
  expect(booked).toEqual([])

  const decisions = { [asked.pending[0].callId]: { type: 'approve' } }
  const done = await second.fetch(send('/runs', { run: asked.runId, decisions, stream: false }), env)
  expect(await done.json()).toMatchObject({ stopReason: 'done', text: 'Booked.' })
  expect(booked).toEqual(['Oslo'])
  const { runs } = await (await first.fetch(send('/runs?status=ended'), env)).json()
  expect(runs).toMatchObject([{ runId: asked.runId, status: 'ended' }])
})
