import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type ToolContext, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { mcpServer, mcpTools } from '../src/index.js'
import { askCity, serveAsking } from './asking-servers.js'
import { answering, lookUp, overHttp, pinned, publicServer, trusting } from './mcp.examples.js'
import { serveHttp } from './serve-http.js'

const page = (name: string) =>
  tool({ name, description: name, parameters: z.object({}), execute: () => `${name}: nothing is new` })

async function serve(...names: string[]): Promise<string> {
  const server = mcpServer(names.map(page), {
    authenticate: ({ headers }) => headers.get('authorization') ?? 'nobody',
  })
  onTestFinished(() => server.close())
  return (await serveHttp(server.fetch)).url
}

test('allow works over HTTP', async () => {
  await using server = await overHttp(
    await serve('search', 'read_page', 'delete_page'),
    async () => 'a-token',
  )
  expect(server.tools.map(({ name }) => name)).toEqual(['search', 'read_page'])
})

test('a run gets the current tools', async () => {
  const model = scriptedModel([reply.call('search'), reply.text('Nothing.')])
  expect(await lookUp(model, await serve('search'))).toBe('Nothing.')
})

test('with untrusted: false the server declares which of its tools only read', async () => {
  await using server = await trusting(await serve('search'))
  expect(server.tools[0]?.settings).toMatchObject({ needsApproval: true, untrusted: true })
})

test('a question is answered, or declined', async () => {
  const { url } = await serveAsking(({ answers }) =>
    answers ? JSON.stringify(answers) : { resultType: 'input_required', inputRequests: { city: askCity } },
  )
  const model = () =>
    scriptedModel([reply.call('book'), ({ messages }) => reply.text(String(messages.at(-1)?.content))])
  const asked: unknown[] = []
  const answer = await answering(model(), url, async ({ message }) => {
    asked.push(message)
    return { city: 'Oslo' }
  })
  expect(answer).toBe('{"city":{"action":"accept","content":{"city":"Oslo"}}}')
  expect(asked).toEqual(['Which city?'])
  expect(await answering(model(), url, async () => undefined)).toBe('{"city":{"action":"decline"}}')
})

test('a tool that is new since the pins is skipped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-pins-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const pins = join(folder, 'pins.json')
  expect(await pinned(await serve('search'), pins)).toEqual([])
  expect(await pinned(await serve('search', 'delete_page'), pins)).toEqual([
    expect.stringMatching(/^delete_page: It is new/),
  ])
})

test('a server with authenticate knows its callers and decides for them', async () => {
  const send = (name: string) =>
    tool({
      name,
      description: name,
      parameters: z.object({}),
      needsApproval: true,
      execute: (_args, { context }: ToolContext<{ user: { id: string } }>) => `${name} by ${context.user.id}`,
    })
  const model = scriptedModel([
    reply.calls(reply.call('send_mail'), reply.call('send_note')),
    ({ messages }) =>
      reply.text(
        messages
          .slice(-2)
          .map(({ content }) => content)
          .join('; '),
      ),
  ])
  const agent = new Agent({ model, tools: [send('send_mail'), send('send_note')] })
  const server = publicServer(agent, async (token) => (token === 'right' ? { id: 'ann' } : undefined))
  onTestFinished(() => server.close())
  const fetchAs = (authorization: string) => async (url: string | URL | Request, init?: RequestInit) => {
    const request = new Request(url, init)
    request.headers.set('authorization', authorization)
    return server.fetch(request)
  }
  const url = 'https://mcp.example.com/mcp'
  await expect(mcpTools({ url, fetch: fetchAs('wrong') })).rejects.toMatchObject({ code: 'auth' })
  const client = new Client({ name: 'cannot ask', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchAs('right') }))
  onTestFinished(() => client.close())
  const { content } = await client.callTool({ name: 'ask_agent', arguments: { input: 'Send both' } })
  expect(content).toMatchObject([{ text: expect.stringMatching(/Not from here\..*send_note by ann/) }])
})
