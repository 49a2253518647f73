// crash-worker.ts DATABASE ORIGIN ID [DEAD-AFTER-MS]: executes runs of the agents of crash-agents.ts until it is killed.
import { durable, startWorker } from '../../src/dbos.js'
import { crashAgents } from './crash-agents.js'

const [database = '', origin = '', id = '', deadAfterMs = '800'] = process.argv.slice(2)
const runs = Object.values(crashAgents(origin)).map((agent) => durable(agent, { database }))
await startWorker(runs, { id, pollMs: 50, deadAfterMs: Number(deadAfterMs), maxAttempts: 2 })
process.stdout.write('ready\n')
