// Approve by mail: a link decides on one call, once, without a login.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { cancelBooking } from '../tools.js'

let deliver = (_link: string) => {}
const delivered = new Promise<string>((resolve) => {
  deliver = resolve
})
// In your server, read it from the environment: the same one in each process.
const secret = crypto.randomUUID()

// #region mail
const agent = new Agent({ name: 'clerk', model: 'planner', tools: [cancelBooking] })
const handler = agentHandler(agent, {
  authenticate: (request) => (request.headers.has('cookie') ? { id: 'ann' } : undefined),
  approvals: { secrets: [secret] },
  onPending: ({ calls }) => {
    for (const { token } of calls) if (token) deliver(`http://localhost/decisions/${token}`)
  },
})
// #endregion

const headers = { 'content-type': 'application/json' }
const post = (url: string, body: object, more = {}) =>
  handler(new Request(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) }))

const question = { input: 'Cancel booking B-17.', stream: false }
const asked = await post('http://localhost/runs', question, { cookie: 'user=ann' })
const { runId } = await asked.json()

// #region decide
const link = await delivered
const { status, name, arguments: args } = await (await handler(new Request(link))).json()
console.log(status, name, args)

const decision = { type: 'approve' }
console.log((await post(link, { decision })).status)
console.log((await (await post(link, { decision })).json()).error.code)
// #endregion

const events = await handler(
  new Request(`http://localhost/runs/${runId}/events`, { headers: { cookie: 'user=ann' } }),
)
console.log((await events.text()).match(/"stopReason":"done","text":"(.*?)"/)?.[1])
await handler.close()
