// The server of start.ts.
import '../../local-service.js'
// #region file
import { Agent, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { sqliteRunStore, sqliteSessions } from '@capstan/stores/sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import Database from 'libsql'
import * as z from 'zod'

const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  parameters: z.object({ booking: z.string().describe('Number of the booking') }),
  needsApproval: true,
  execute: ({ booking }) => ({ booking, cancelled: true }),
})

const database = new Database(process.env.CHATS ?? 'chats.db')
const handler = agentHandler(new Agent({ model: 'planner', tools: [cancelBooking] }), {
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
export const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })

export async function stop() {
  server.close()
  await handler.close({ withinMs: 10_000 })
  database.close()
}
process.once('SIGTERM', stop)
// #endregion
