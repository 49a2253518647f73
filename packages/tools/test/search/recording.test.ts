import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { explain, forkRun, recordRun, replayRun } from '@capstan/testing/recording'
import { afterAll, expect, test } from 'vitest'
import { deferred } from '../../src/search.js'
import { calling, named, offeredIn } from './tools.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-search-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ran: string[] = []
const lamp = { ...named('set_lamp', 'Switches a lamp'), execute: () => ran.push('set_lamp') }
const door = named('open_door', 'Opens a door')

test.each(['list', 'call'] as const)('a recording replays with the agent, and is forked (%s)', async (by) => {
  const file = join(folder, `${by}.jsonl`)
  const model = calling(
    [['find_tools', { query: 'lamp' }]],
    [by === 'list' ? ['set_lamp'] : ['call_tool', { name: 'set_lamp', arguments: {} }]],
  )
  const agent = new Agent({ model, tools: [named('listed'), deferred([lamp, door], { by })] })
  {
    using recording = recordRun(file)
    await agent.run('Go.', recording)
  }
  ran.length = 0
  expect(explain(file)).toContain('from now on, the model is offered set_lamp, found with the query "lamp"')
  const [replayed] = await replayRun(file, { agent })
  expect(replayed?.state.kept['tool-search']).toEqual({ revealed: { agent: ['set_lamp'] } })
  expect(ran).toEqual([])
  const other = calling()
  await forkRun(file, { at: 1, agent, model: other })
  expect(offeredIn(other.requests[0])).toEqual(
    by === 'list' ? ['listed', 'find_tools', 'set_lamp'] : ['listed', 'find_tools', 'call_tool'],
  )
  if (by === 'list') expect((await replayRun(file))[0]?.text).toBe('Done.')
  else
    await expect(replayRun(file)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('its requests do not offer "set_lamp"'),
    })
})
