// A worker of DBOS in a process of its own: `worker.ts DATABASE ID`. It says `ready`, and its CPU whenever it is asked.
import { durable, startWorker } from '../../src/dbos.js'
import { makeBusy } from './busy.js'

const [database = '', id = ''] = process.argv.slice(2)
const worker = await startWorker([durable(makeBusy(), { database, live: false })], { id })
process.on('message', async (asked) => {
  if (asked === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1000)
    return
  }
  await worker.close()
  process.disconnect()
})
process.send?.('ready')
