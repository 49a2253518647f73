// dbos-worker.ts DATABASE ORIGIN ID NAME AGENT: executes runs until it is killed.
import { durable, startWorker } from '../../src/dbos.js'
import { killedAgent } from './killed-agent.js'

const [database = '', origin = '', id = '', name = '', agent = ''] = process.argv.slice(2)
const runs = durable(killedAgent(agent, origin, id), { database, live: false })
await startWorker([runs], { id: name, pollMs: 50, deadAfterMs: 1000, maxAttempts: 1000 })
process.stdout.write('ready\n')
