import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../test/scripted-server.js'
import { memoryArtifacts, readBytes } from '../artifacts/memory-artifacts.js'
import { Agent, chatModel, tool } from '../index.js'
import { shortenResult } from '../tools/render-result.js'

const origin = { tool: 'read_log', callId: 'call_1', runId: 'run-1' }

test('a result that is short enough is told as it is, to the byte', async () => {
  const store = memoryArtifacts()
  const text = 'é'.repeat(500)
  expect(await shortenResult(text, { maxResultBytes: 1000 }, () => ({ store, origin }))).toEqual({
    content: text,
  })
  expect(await store.list()).toEqual([])
  expect((await shortenResult(text, { maxResultBytes: 999 }, () => ({ store, origin }))).whole).toBeDefined()
})

test('of a longer one its ends are told, and where the whole is, without half a character', async () => {
  const store = memoryArtifacts()
  const text = `begin${'😀'.repeat(1000)}end`
  const { content, whole } = await shortenResult(text, { maxResultBytes: 400 }, () => ({ store, origin }))
  expect(content).toMatch(
    /^begin(😀)+\n\[\d+ of 2008 characters are left out here: read_artifact gives any part of "txt_/u,
  )
  expect(content).toMatch(/(😀)+end$/u)
  expect(content).not.toContain('\ufffd')
  expect(new TextDecoder().decode(await readBytes(await store.open(whole?.id ?? '')))).toBe(text)
  expect(whole?.origin).toEqual(origin)
})

test('the model pages through it with a tool that it is offered from then on', async () => {
  const pages = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n')
  const log = tool({
    name: 'read_log',
    description: 'Reads the log',
    parameters: z.object({}),
    maxResultBytes: 2000,
    execute: () => pages,
  })
  let id = ''
  await using server = await startScriptedServer([
    { calls: [{ name: 'read_log' }] },
    (request, response) => {
      id = /"(txt_\w+)"/.exec(String(request.body.messages.at(-1)?.content))?.[1] ?? ''
      const asked = {
        name: 'read_artifact',
        arguments: JSON.stringify({ artifact: id, from: 8000, length: 20 }),
      }
      const message = {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'r', type: 'function', function: asked }],
      }
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }))
    },
    { text: 'Read.' },
  ])
  const result = await new Agent({ model: chatModel('m', server), tools: [log] }).run('Read it.')
  expect(server.requests.map(({ body }) => body.tools?.length)).toEqual([1, 2, 2])
  expect(result.toolCalls[1]).toMatchObject({
    name: 'read_artifact',
    status: 'ok',
    result: { artifact: id, from: 8000, to: 8020, of: pages.length, text: pages.slice(8000, 8020) },
  })
  expect(result.toolCalls[0]?.result).toBe(pages)
  expect(String(result.messages[2]?.content).length).toBeLessThan(2200)
})
