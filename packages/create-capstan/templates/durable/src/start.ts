// Starts a run that waits for an approval. Its process may end: the run is in the folder `runs`.
import { randomUUID } from 'node:crypto'
import { openDesk } from './desk.js'

const runId = randomUUID()
const { desk, close } = await openDesk()
const {
  stopReason,
  text,
  pending = [],
} = await desk.run(process.argv[2] ?? 'Cancel booking B-17.', { runId })
if (stopReason === 'pending') {
  for (const call of pending) console.log('waits for an approval:', call.name, call.arguments)
  console.log(`npm run approve ${runId}`)
} else console.log(text)
await close()
