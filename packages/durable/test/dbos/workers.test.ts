import { Agent, tool } from '@capstan/core'
import { Pool } from 'pg'
import { expect } from 'vitest'
import * as z from 'zod'
import { plannedModel } from '../planned-model.js'
import { test, usePostgres } from '../postgres.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

test('a call does not begin after another worker has taken its run', async () => {
  const pool = new Pool({ connectionString: url })
  const began: string[] = []
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({ turn: z.number() }),
    execute: (_, { idempotencyKey }) => began.push(idempotencyKey),
  })
  const turns = [0, 1].map((turn) => [0, 1, 2].map(() => ({ name: 'count', arguments: { turn } })))
  let taken: Promise<unknown> | undefined
  // As another worker does while this one is slow.
  const take = async ({ arguments: args }: { readonly arguments: unknown }) => {
    if ((args as { readonly turn: number }).turn !== 1) return
    taken ??= pool.query(
      `UPDATE dbos.workflow_status SET owner_xid = 'other', executor_id = 'other' WHERE workflow_uuid = 'taken'`,
    )
    await taken
  }
  const middleware = [{ name: 'slow', beforeTool: take }]
  const runs = kept(new Agent({ name: 'counter', model: plannedModel(turns), tools: [count], middleware }))
  try {
    await working(runs, { deadAfterMs: 60_000 })
    await runs.start('Go.', { runId: 'taken' })
    await expect.poll(() => taken).toBeDefined()
    // The worker continues with other runs.
    expect((await runs.run('Go.', { runId: 'after' })).text).toBe('Done after 6 results.')
    const inTaken = began.filter((key) => key.startsWith('taken/')).sort()
    expect(inTaken).toEqual(['taken/step0/call0', 'taken/step0/call1', 'taken/step0/call2'])
  } finally {
    await pool.end()
  }
})
