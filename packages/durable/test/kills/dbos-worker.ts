// dbos-worker.ts DATABASE ORIGIN ID NAME [--no-journal]: executes runs until it is killed.
import { durable, startWorker } from '../../src/dbos.js'
import { countedAgent, withoutJournal } from './counted-agent.js'

const [database = '', origin = '', id = '', name = '', journal] = process.argv.slice(2)
const agent = countedAgent(origin, id)
const runs = durable(journal === '--no-journal' ? withoutJournal(agent) : agent, { database, live: false })
await startWorker([runs], { id: name, pollMs: 50, deadAfterMs: 1000, maxAttempts: 1000 })
process.stdout.write('ready\n')
