import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { durable as durableByDbos } from './dbos.js'
import { memoryRuns } from './local/memory-runs.js'
import { persistent } from './local/persistent-agent.js'
import { durable as durableByRestate } from './restate.js'

const agent = new Agent({ name: 'clerk', model: scriptedModel([reply.text('Done.')]) })
const nowhere = 'http://127.0.0.1:1'

/**
 * The engines. None is running, so a run that passes the checks would fail with `network`, or would run in this
 * process.
 */
const engines = {
  persistent: () => persistent(agent, { store: memoryRuns() }),
  dbos: () => durableByDbos(agent, { database: 'postgresql://u:p@127.0.0.1:1/x' }),
  restate: () => durableByRestate(agent, { ingress: nowhere, admin: nowhere }),
}

test.each(Object.entries(engines))(
  '%s rejects options that a durable run does not have',
  async (_, create) => {
    const runs = create()
    for (const [options, message] of [
      [{ session: { id: 's' } }, /^A durable run has no option "session"\. Options: data, /],
      [{ decisions: {} }, /Did you mean "decide\(runId, callId, decision\)"\?/],
      [{ context: 1 }, /Did you mean "context" of the durable agent\?/],
      [{ unattended: 'yes' }, /unattended is a string\. Use true or false\./],
    ] as const) {
      const rejected = { code: 'invalid_request', message: expect.stringMatching(message) }
      await expect(runs.run('Go.', options as never)).rejects.toMatchObject(rejected)
      await expect(runs.start('Go.', options as never)).rejects.toMatchObject(rejected)
      await expect(runs.stream('Go.', options as never).result).rejects.toMatchObject(rejected)
    }
    await runs.close()
  },
)

test.each(Object.entries(engines))('%s rejects data that JSON would lose', async (_, create) => {
  const runs = create()
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  for (const [data, place] of [
    [{ d: new Map() }, '"d" is a Map'],
    [{ d: 1n }, '"d" is a BigInt'],
    [{ d: [{ e: Number.NaN }] }, '"d.0.e" is NaN'],
    [cycle, '"self" is circular'],
    [new Set(), 'it is a Set'],
  ] as const) {
    const message = `The option "data" must be plain JSON: ${place}. Use plain values.`
    await expect(runs.start('Go.', { data: data as never })).rejects.toMatchObject({
      code: 'invalid_request',
      message,
    })
  }
  await runs.close()
})

test('data is stored as JSON: a Date as its text, no undefined fields', async () => {
  const store = memoryRuns()
  const runs = persistent(agent, { store })
  const data = { at: new Date(0), none: undefined, list: [1, null] }
  await runs.run('Go.', { runId: 'r', data: data as never })
  const stored = { at: '1970-01-01T00:00:00.000Z', list: [1, null] }
  expect((await store.load('r'))?.run.settings.data).toEqual(stored)
})

test.each([
  ['no options', undefined, /^persistent: store is required\. Use \{ store: folderRuns\('runs'\) \}\.$/],
  ['no store', {}, /^persistent: store is required\. Use \{ store: folderRuns\('runs'\) \}\.$/],
  ['a text', { store: 'runs' }, /^persistent: store is a string\. Use \{ store: folderRuns\('runs'\) \}\.$/],
  ['another option', { store: memoryRuns(), poll: 5 }, /^persistent has no option "poll"\./],
])('persistent rejects %s', (_, options, message) => {
  const rejected = { code: 'invalid_request', message: expect.stringMatching(message) }
  expect(() => persistent(agent, options as never)).toThrow(expect.objectContaining(rejected))
})
