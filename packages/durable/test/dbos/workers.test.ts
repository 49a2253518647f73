import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { Pool } from 'pg'
import { expect } from 'vitest'
import { configOf } from '../../src/dbos/runs.js'
import { test, usePostgres } from '../postgres.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

test('the work of a worker of an earlier version is requeued when it is dead, not when one of its name starts', async () => {
  const model = scriptedModel([reply.text('Fresh.'), reply.text('Taken up.')])
  const runs = kept(new Agent({ name: 'answerer', model }))
  const { namespace: place } = configOf(runs)
  await runs.start('Go.', { runId: 'held' })
  const pool = new Pool({ connectionString: url })
  try {
    // Its id is its name alone. Its heartbeat is an hour in the future.
    await pool.query(
      `UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'web', application_version = $1
       WHERE workflow_uuid = 'held'`,
      [`${place}@1`],
    )
    await pool.query(
      `INSERT INTO capstan.workers (place, id, version, seen_at) VALUES ($1, 'web', $2, now() + interval '1 hour')`,
      [place, `${place}@1`],
    )
    await working(runs, { id: 'web', version: '1' })
    expect((await runs.run('Go.', { runId: 'fresh' })).text).toBe('Fresh.')
    expect(await runs.status('fresh')).toMatchObject({ worker: 'web' })
    expect(await runs.status('held')).toMatchObject({ phase: 'running', worker: 'web', attempts: 0 })
    await pool.query(`UPDATE capstan.workers SET seen_at = now() - interval '1 hour' WHERE id = 'web'`)
    expect((await runs.result('held')).text).toBe('Taken up.')
  } finally {
    await pool.end()
  }
})
