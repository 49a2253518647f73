// Two processes with one store: a run that waits in the first is listed, decided and continued in the second.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import { agentHandler } from '@capstan/http'
import { folderRunStore } from '@capstan/stores/node'
import { cancelBooking } from '../tools.js'

const folder = await mkdtemp(join(tmpdir(), 'capstan-'))

// #region serve
const serve = () =>
  agentHandler(new Agent({ name: 'clerk', model: 'planner', tools: [cancelBooking] }), {
    authenticate: () => ({ id: 'ann' }),
    runs: folderRunStore(join(folder, 'runs')),
    sessions: folderSessions(join(folder, 'sessions')),
    onPending: ({ user, calls }) => console.log('mail to', user, calls[0]?.name, calls[0]?.arguments),
  })
// #endregion
// Each one stands for a separate process.
const first = serve()
const second = serve()

const send = (path: string, body?: object) =>
  new Request(`http://localhost${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
  })

const asked = await first(send('/runs', { input: 'Cancel booking B-17.', session: 'trip', stream: false }))
console.log((await asked.json()).stopReason)
await first.close()

// #region decide
const { runs } = await (await second(send('/runs?status=pending'))).json()
const [{ runId, pending }] = runs
const decide = (decision: object) =>
  second(send(`/runs/${runId}/decisions`, { callId: pending[0].callId, decision }))
console.log((await decide({ type: 'approve' })).status)

const again = await decide({ type: 'deny', reason: 'I keep it.' })
console.log(again.status, (await again.json()).error.code)

const events = await (await second(send(`/runs/${runId}/events`))).text()
console.log(events.match(/"stopReason":"done","text":"(.*?)"/)?.[1])
// #endregion

await second.close()
await rm(folder, { recursive: true })
