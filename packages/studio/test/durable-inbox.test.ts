import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { folderRuns, persistent } from '@capstan/durable'
import { scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { InboxCall } from '../src/index.js'
import { openStudio, until } from './browser/open-studio.js'
import { agentSource } from './browser/screens-agent.js'

test('durable runs that wait are in the inbox, and are decided there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-durable-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const source = `${agentSource}
import { folderRuns, persistent } from '@capstan/durable'
const clerk = new Agent({ name: 'clerk', model, tools: [pay] })
export const desk = persistent(clerk, { store: folderRuns(${JSON.stringify(folder)}) })
await desk.run('call pay {"amount":8,"note":null}', { runId: 'bill' })
`
  const studio = await openStudio(folder, source)
  expect((await studio.about()).durable).toEqual([{ name: 'clerk', canList: true }])
  const inbox = () => studio.ask<readonly InboxCall[]>('GET', '/api/inbox')
  const [call] = await inbox()
  expect(call).toMatchObject({
    source: 'durable',
    agent: 'clerk',
    run: 'bill',
    call: { name: 'pay', arguments: { amount: 8, note: null } },
    schema: { properties: { amount: {} } },
  })
  const decide = (agent: string, decision: object) =>
    studio.ask('POST', `/api/durable/${agent}/bill/decisions`, { callId: call?.call.callId, decision })
  await decide('clerk', { type: 'approve', arguments: { amount: 5, note: 'half' } })
  await until(async () => (await inbox()).length === 0)
  await expect(decide('clerk', { type: 'deny' })).rejects.toThrow('409')
  await expect(decide('nobody', { type: 'deny' })).rejects.toThrow('404')
  const reader = new Agent({ name: 'clerk', model: scriptedModel([]) })
  const { text } = await persistent(reader, { store: folderRuns(folder) }).result('bill')
  expect(text).toContain('half')
})
