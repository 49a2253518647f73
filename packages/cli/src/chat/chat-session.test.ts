import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { openChatSession } from './chat-session.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-chat-'))
  return () => rm(folder, { recursive: true, force: true })
})

const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'paid',
})
const greeter = () => new Agent({ model: scriptedModel([reply.text('Hello.')]) })

test('stores a run that ended before its messages were stored, once', async () => {
  const agent = greeter()
  const first = await openChatSession(folder, agent)
  const { state } = await agent.run('Hi.', { onCheckpoint: first.save })
  await first.close()
  const second = await openChatSession(folder, agent)
  expect(await second.loadUnfinished()).toBeUndefined()
  await second.discard(state)
  const { messages } = await second.ref.store.load(second.ref.id)
  expect(messages.map(({ content }) => content)).toEqual(['Hi.', 'Hello.'])
  expect((await readdir(folder)).sort()).toEqual(['lock', expect.stringMatching(/\.jsonl$/)])
})

test('returns a run that is pending, and one that was interrupted', async () => {
  const agent = new Agent({ model: scriptedModel([reply.call('pay')]), tools: [pay] })
  const session = await openChatSession(folder, agent)
  const { state } = await agent.run('Pay.', { session: session.ref, onCheckpoint: session.save })
  expect(await session.loadUnfinished()).toMatchObject({ stopReason: 'pending', pending: state.pending })
  const { stopReason: _, ...interrupted } = state
  await session.save(interrupted)
  expect(await session.loadUnfinished()).toEqual(interrupted)
})

test('rejects a run that another writer of the session does not know', async () => {
  const agent = greeter()
  const session = await openChatSession(folder, agent)
  const { state } = await agent.run('Hi.', { onCheckpoint: session.save })
  await session.ref.store.append(session.ref.id, [{ role: 'user', content: 'Other.' }], 0)
  await expect(session.loadUnfinished()).rejects.toThrow(/run\.json was saved\. Delete that file/)
  await expect(session.discard(state)).rejects.toThrow(/run\.json was saved\. Delete that file/)
})

test('forgets a run after saves that have not ended', async () => {
  const session = await openChatSession(folder, greeter())
  const { state } = await greeter().run('Hi.')
  const saves = [session.save(state), session.save(state), session.finish()]
  await Promise.all(saves)
  expect(await readdir(folder)).toEqual(['lock'])
})

test.each([
  ['{', /is not valid JSON/],
  ['{}', /is not a run state\. Delete the file/],
  ['[]', /is not a run state\. Delete the file/],
])('reports a damaged run %j', async (content, message) => {
  const session = await openChatSession(folder, greeter())
  await writeFile(join(folder, 'run.json'), content)
  await expect(session.loadUnfinished()).rejects.toThrow(message)
})

test('keeps a folder for its user, and takes over the lock of a process that has ended', async () => {
  const path = join(folder, 'new')
  await (await openChatSession(path, greeter())).close()
  expect((await stat(path)).mode & 0o077).toBe(0)
  // There is no process with this id.
  await writeFile(join(path, 'lock'), '2147483646')
  await (await openChatSession(path, greeter())).close()
  await writeFile(join(path, 'lock'), '1')
  await expect(openChatSession(path, greeter())).rejects.toThrow('Process 1 is using this session.')
})

test('without a folder keeps the conversation in memory, and the artifacts of the agent', async () => {
  const agent = greeter()
  const session = await openChatSession(undefined, agent)
  await agent.run('Hi.', { session: session.ref, onCheckpoint: session.save })
  expect((await session.ref.store.load(session.ref.id)).version).toBe(2)
  expect(session.artifacts).toBe(agent.artifacts)
  expect(await session.loadUnfinished()).toBeUndefined()
})
