// An agent behind node:http: one run as JSON, one as events in the same conversation, and one that waits for approval.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent, memorySessions } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import { cancelBooking, weather } from '../tools.js'

// #region server
const users: Record<string, string> = { 'Bearer key-of-ann': 'ann' }
const agent = new Agent({ model: 'planner', tools: [weather, cancelBooking] })
const handler = agentHandler(agent, {
  authenticate: ({ headers }) => {
    const id = users[headers.get('authorization') ?? '']
    return id ? { id } : undefined
  },
  sessions: memorySessions(),
})
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
// #endregion
await once(server, 'listening')
const { port } = server.address() as { port: number }

// #region ask
const send = (path: string, body: object, key = 'key-of-ann') =>
  fetch(`http://127.0.0.1:${port}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const first = await send('runs', { input: 'What is the weather in Oslo?', session: 'trip', stream: false })
console.log((await first.json()).text)
// #endregion

// #region stream
const response = await send('runs', { input: 'And in Rome?', session: 'trip' })
let rest = ''
for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
  const events = (rest + piece).split('\n\n')
  rest = events.pop() ?? ''
  for (const event of events) {
    const [, type, data = '{}'] = /^event: (.*)\ndata: (.*)$/m.exec(event) ?? []
    if (type === 'text-delta') process.stdout.write(JSON.parse(data).text)
  }
}
// #endregion
console.log()

// #region decide
const waiting = await (await send('runs', { input: 'Cancel booking B-17.', stream: false })).json()
const [call] = waiting.pending
console.log(waiting.stopReason, call.name, call.arguments)
const decisions = { [call.callId]: { type: 'approve' } }
const done = await send('runs', { run: waiting.runId, decisions, stream: false })
console.log((await done.json()).text)
// #endregion

console.log((await send('runs', { input: 'Hello.' }, 'a-guess')).status)
await handler.close()
server.close()
