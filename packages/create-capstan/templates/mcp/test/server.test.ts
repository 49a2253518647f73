import { mcpServer, mcpTools } from '@capstan/mcp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBook } from '../src/agent.js'

// A client and the server, without a process between them.
const server = mcpServer([findBook], { name: 'library', authenticate: () => 'a reader' })
let client: Awaited<ReturnType<typeof mcpTools>>
beforeAll(async () => {
  client = await mcpTools({
    url: 'http://localhost/mcp',
    fetch: (url, init) => server.fetch(new Request(url, init)),
  })
})
afterAll(async () => {
  await client.close()
  await server.close()
})

test('a client finds a book', async () => {
  const [find] = client.tools
  expect(find?.name).toBe('find_book')
  expect(JSON.stringify(await find?.call({ title: 'Emma' }))).toContain('A3')
})

test('a client reads why there is no book', async () => {
  const [find] = client.tools
  await expect(find?.call({ title: 'Nothing' })).rejects.toThrow('There is no book "Nothing".')
})
