// A whole chat server on Hono: conversations and runs in SQLite, an approval, and the same chat on a second device.
import '../local-service.js'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Chat } from '@ai-sdk/react'
import { Agent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { sqliteRunStore, sqliteSessions } from '@capstan/stores/sqlite'
import { serve } from '@hono/node-server'
import { DefaultChatTransport, isToolUIPart } from 'ai'
import { Hono } from 'hono'
import Database from 'libsql'
import { getWeather } from '../1-start/illustrator/tools.js'
import { cancelBooking } from '../tools.js'

const folder = await mkdtemp(join(tmpdir(), 'capstan-'))
const file = join(folder, 'chats.db')

// #region server
const database = new Database(file)
const agent = new Agent({ model: 'planner', tools: [getWeather, cancelBooking] })
const handler = agentHandler(agent, {
  basePath: '/api/agent',
  // Replace it by the session of your application.
  authenticate: (request) => (request.headers.get('cookie') === 'user=ann' ? { id: 'ann' } : undefined),
  sessions: sqliteSessions(database),
  runs: sqliteRunStore(database),
  // A reply continues when the user closes the page.
  onDisconnect: 'finish',
})
const app = new Hono()
app.all('/api/agent/*', (c) => handler(c.req.raw))
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
// #endregion
if (!server.listening) await new Promise((ready) => server.once('listening', ready))
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// #region page
const transport = new DefaultChatTransport({
  api: `${address}/api/agent/ui`,
  // A page leaves this out: the browser sends its cookie.
  headers: { cookie: 'user=ann' },
})
const phone = new Chat({ id: 'trip', transport })
await phone.sendMessage({ text: 'Cancel booking B-17.' })
console.log(
  'phone:',
  phone.lastMessage?.parts.filter(isToolUIPart).map(({ state }) => state),
)
// #endregion

// #region second-device
const stored = await fetch(`${address}/api/agent/ui/trip`, { headers: { cookie: 'user=ann' } })
const { id, messages } = await stored.json()
const laptop = new Chat({ id, messages, transport })
for (const part of laptop.lastMessage?.parts ?? [])
  if (isToolUIPart(part) && part.state === 'approval-requested')
    await laptop.addToolApprovalResponse({ id: part.approval.id, approved: true })
await laptop.sendMessage()
for (const part of laptop.lastMessage?.parts ?? [])
  if (part.type === 'text') console.log('laptop:', part.text)
// #endregion

await handler.close({ withinMs: 5000 })
server.close()
database.close()
await rm(folder, { recursive: true })
