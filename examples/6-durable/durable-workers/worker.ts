// A worker: `worker.ts NAME DATABASE OFFICE`. It works on runs until it is killed.
import { durable, startWorker } from '@capstan/durable/dbos'
import { makeCourier } from './courier.js'

const [id = '', database = '', office = ''] = process.argv.slice(2)
// #region worker
const courier = durable(makeCourier(office, id), { database })
await startWorker([courier], { id, concurrency: 3, deadAfterMs: 2000 })
// #endregion
console.log(`${id} is ready`)
