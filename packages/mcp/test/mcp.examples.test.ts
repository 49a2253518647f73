import { Agent, type ToolContext, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { mcpServer, mcpTools } from '../src/index.js'
import { lookUp, overHttp, publicServer, trusting } from './mcp.examples.js'
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
  await using client = await mcpTools({ url, fetch: fetchAs('right') })
  expect(await client.tools[0]?.call({ input: 'Send both' })).toMatch(/Not from here\..*send_note by ann/)
})
