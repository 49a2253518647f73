import type { AnyAgent } from '@capstan/core'
import { outermostRun } from '@capstan/core/internal'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { afterAll, beforeAll } from 'vitest'
import { type Connection, connect } from '../../src/dbos/engine.js'
import { configOf } from '../../src/dbos/runs.js'
import { storedError } from '../../src/dbos/segments.js'
import { runWorkflow } from '../../src/dbos/stored.js'
import { durable, startWorker, type Worker } from '../../src/dbos.js'
import { fromRecorded } from '../../src/recorded.js'
import type { SegmentEnd } from '../../src/segment.js'
import type { FaultPoint, HostUnderTest } from '../../src/testing.js'
import { type Die, dyingAgent } from './dying-agent.js'

const queue = 'capstan/faults'
const deaths = new Map<string, (point: FaultPoint) => boolean>()
let connection: Connection

/** A DBOS host whose worker dies at the given points. Use one per test file. */
export function dyingHost(of: readonly AnyAgent[], database: string): HostUnderTest {
  let worker: Worker
  beforeAll(async () => {
    if (!database) return
    const agents = of.map((agent) =>
      durable(dyingAgent(agent, newWorker), { database, queue: 'faults', live: false }),
    )
    connection = await connect(configOf(agents[0] as object))
    // Abandoned runs keep their slots.
    worker = await startWorker(agents, { pollMs: 10, concurrency: 100_000, maxAttempts: 1000 })
  })
  afterAll(async () => {
    await worker?.close()
    await connection?.client.destroy()
    if (connection && !connection.pool.ended) await connection.pool.end()
  })
  return { drive }
}

/** The number of crashes so far, by run. */
const deadOver = new Map<string, number>()

/** A worker that executes a run. After a crash it does not continue, because concurrent calls would crash again. */
function newWorker(): Die {
  const journal = journalOf(String(DBOS.workflowID))
  const deadBefore = deadOver.get(journal) ?? 0
  return async (point) => {
    const isDead = (deadOver.get(journal) ?? 0) > deadBefore
    if (!isDead && !deaths.get(journal)?.(point)) return
    if (!isDead) {
      deadOver.set(journal, deadBefore + 1)
      await giveToAnother(journal)
    }
    await new Promise(() => {})
  }
}

/** Simulates a killed process: requeues all of the run's work for another worker. */
async function giveToAnother(journal: string): Promise<void> {
  const { client } = connection
  const held = await client.listWorkflows({
    workflow_id_prefix: journal,
    status: 'PENDING',
    loadInput: false,
  })
  const ids = held.map(({ workflowID }) => workflowID).filter((id) => journalOf(id) === journal)
  await client.resumeWorkflows(ids, { queueName: queue })
}

/** Returns the id of a child run's top-level run. */
function journalOf(workflowID: string): string {
  return outermostRun(workflowID)
}

const drive: HostUnderTest['drive'] = async (journal, agent, state, dies) => {
  deaths.set(journal, dies)
  const { client } = connection
  const workflow = { workflowName: runWorkflow(agent.name), queueName: queue, workflowID: journal }
  const handle = await client.enqueue(workflow, { state: JSON.parse(JSON.stringify(state)), options: {} })
  try {
    return ((await handle.getResult({ pollingIntervalMs: 20 })) as SegmentEnd).state
  } catch (error) {
    throw fromRecorded(storedError(error))
  }
}
