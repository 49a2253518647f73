import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, chatModel, tool } from '@capstan/core'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { explain, explainNote, recordRun, replayRun } from '../recording.js'

test('a note is one sentence, with what came and how it is read', () => {
  expect(explainNote({ code: 'name-cleaned', call: 1, from: 'functions.add', to: 'add' })).toBe(
    'the name contained additional characters; without them, it is the name of a tool (call 1): "functions.add" read as "add"',
  )
  expect(explainNote({ code: 'left-open' })).toBe(
    'the server kept the connection open after the end of the reply; the connection was closed',
  )
  expect(explainNote({ code: 'line-without-data', from: `\u001b[31m${'x'.repeat(100)}` })).not.toContain(
    '\u001b',
  )
  expect(explainNote({ code: 'of-a-later-version' as never })).toBe('of-a-later-version')
})

test('a recording keeps the notes of a reply, without secrets; explain tells them and a replay ignores them', async () => {
  const secret = 'sk-1234567890abcdefghij'
  const call = { function: { name: ' add', arguments: '', input: `{"a":"${secret}"}` } }
  const messages = [{ tool_calls: [call] }, { content: 'Done.' }]
  const server = createServer((_request, response) => {
    const [message] = messages.splice(0, 1)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message }] }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const add = tool({
    name: 'add',
    description: 'Adds',
    parameters: z.object({ a: z.string() }),
    execute: () => 'Added.',
  })
  const file = join(tmpdir(), `capstan-notes-${process.pid}.jsonl`)
  const agent = new Agent({ model: chatModel('m', { baseURL, apiKey: '' }), tools: [add] })
  await agent.run('Add.', recordRun(file))
  await new Promise((closed) => server.close(closed))
  const told = explain(file)
  expect(told).toContain(
    'note: the name contained additional characters; without them, it is the name of a tool (call 0): " add"',
  )
  expect(told).toContain('note: the arguments were in a field other than function.arguments')
  expect(told).not.toContain(secret)
  expect(await replayRun(file)).toHaveLength(1)
})
