// Two worker processes on one queue. One is killed in the middle: the other completes its runs, and no parcel is sent twice.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { durable } from '@capstan/durable/dbos'
import { startService } from '@capstan/service'
import { startPostgres } from '../../scripts/postgres.mjs'
import { makeCourier } from './durable-workers/courier.js'
import { openPostOffice } from './durable-workers/post-office.js'

const cities = ['Oslo', 'Rome', 'Lisbon', 'Paris', 'Cairo', 'Tokyo']
const program = fileURLToPath(new URL('./durable-workers/worker.ts', import.meta.url))

async function main(database: string): Promise<void> {
  const service = await startService()
  const office = await openPostOffice()
  const startWorker = (name: string): ChildProcess =>
    spawn(process.execPath, [...process.execArgv, program, name, database, office.url], {
      env: { ...process.env, OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey },
      stdio: ['ignore', 'ignore', 'inherit'],
    })

  const courier = durable(makeCourier(office.url), { database })
  for (const city of cities) await courier.start(`Send a parcel to ${city}.`, { runId: `to-${city}` })

  const ann = startWorker('ann')
  await office.reached(3)
  const bob = startWorker('bob')
  await office.reached(6)
  for (const name of ['ann', 'bob']) console.log(`${name} sends parcels to ${office.askedBy(name)}`)

  ann.kill('SIGKILL')
  await once(ann, 'exit')
  console.log('ann is killed, in the middle of three calls')
  office.open()

  for (const city of cities) {
    const { text } = await courier.result(`to-${city}`)
    const { worker } = await courier.status(`to-${city}`)
    console.log(`${worker} ended to-${city}: ${text}`)
  }
  console.log(`The post office was asked ${office.asked.length} times, and sent ${office.sent.size} parcels`)

  bob.kill()
  await courier.close()
  office.close()
  await service.close()
}

const postgres = await startPostgres()
if (postgres) await main(postgres.url).finally(() => postgres.stop())
