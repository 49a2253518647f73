// The agent and its database.
// #region file
import { Agent, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { sqliteRunStore, sqliteSessions } from '@capstan/stores/sqlite'
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

export const handler = agentHandler(new Agent({ model: 'planner', tools: [cancelBooking] }), {
  basePath: '/api/agent',
  // Replace it by the session of your application.
  authenticate: (request) => (request.headers.get('cookie') === 'user=ann' ? { id: 'ann' } : undefined),
  sessions: sqliteSessions(database),
  runs: sqliteRunStore(database),
  // A reply continues when the user closes the page.
  onDisconnect: 'finish',
})
// #endregion
