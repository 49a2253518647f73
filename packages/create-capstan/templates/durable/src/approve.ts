// Approves the calls of a run, in another process than the one that started it.
import { openDesk } from './desk.js'

const [runId] = process.argv.slice(2)
if (!runId) throw new Error('Name the run: npm run approve RUN')
const { desk, close } = await openDesk()
const { pending = [] } = await desk.status(runId)
for (const { callId } of pending) await desk.decide(runId, callId, { type: 'approve' })
const { text } = await desk.result(runId)
console.log(text)
await close()
