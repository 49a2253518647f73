// A DBOS worker in a separate process: `worker.ts DATABASE ID`. It prints `ready`, and reports its CPU time on request.
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
