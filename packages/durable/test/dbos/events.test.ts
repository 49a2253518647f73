import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { Pool } from 'pg'
import { expect } from 'vitest'
import * as z from 'zod'
import { channelOf, createPublisher } from '../../src/dbos/events.js'
import { test, usePostgres } from '../postgres.js'
import { keptIn, working } from './test-runs.js'

const { url } = usePostgres()
const kept = keptIn(url)

const circle: { self?: unknown } = {}
circle.self = circle
const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown

const unwritable: readonly (readonly [string, unknown])[] = [
  ['a BigInt', 10n],
  ['a circle', circle],
  [
    'a toJSON that throws',
    {
      toJSON() {
        throw new Error('no')
      },
    },
  ],
  ['four thousand lists within one another', nested(4000)],
  ['fifty thousand lists within one another', nested(50_000)],
]

test.each(unwritable)('progress that is %s does not fail a run', async (_what, value) => {
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({}),
    async *execute() {
      yield value
      return 'ok'
    },
  })
  const runs = kept(
    new Agent({
      name: 'counter',
      model: scriptedModel([reply.call('count'), reply.text('Done.')]),
      tools: [count],
    }),
  )
  await working(runs)
  const run = runs.stream('Count.')
  const types: string[] = []
  for await (const { type } of run) types.push(type)
  expect(types).toContain('tool-end')
  expect(await run.result).toMatchObject({ text: 'Done.', toolCalls: [{ status: 'ok', result: 'ok' }] })
})

test.each(unwritable)('an event with %s does not block the next one', async (_what, value) => {
  const pool = new Pool({ connectionString: url })
  const listener = await pool.connect()
  try {
    const heard: unknown[] = []
    listener.on('notification', ({ payload = '' }) => {
      for (const line of payload.split('\n')) heard.push(JSON.parse(line))
    })
    await listener.query(`LISTEN ${channelOf('events')}`)
    const publish = createPublisher(pool, 'events')
    const event = {
      type: 'tool-progress',
      runId: 'events',
      seq: 0,
      step: 0,
      callId: 'c1',
      name: 'count',
    } as const
    publish({ ...event, value })
    publish({ ...event, seq: 1, value: 'next' })
    await expect.poll(() => heard.at(-1)).toMatchObject({ seq: 1, value: 'next' })
  } finally {
    listener.release(true)
    await pool.end()
  }
})
