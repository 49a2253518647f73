import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { agentSource } from './studio-agents.js'
import { studioFiles, testStudio } from './studio-client.js'

test('a file that cannot be loaded leaves the last version; corrected, it is loaded', async () => {
  const folder = await studioFiles({ 'agent.ts': agentSource() })
  const studio = await testStudio(folder)
  await studio.loaded()
  await writeFile(join(folder, 'agent.ts'), 'export default new Agent({ name: ')
  await expect.poll(async () => (await studio.about()).loadError?.message).toContain('agent.ts')
  expect(await studio.run({ input: 'Still here' })).toMatchObject({ status: 'ended', source: { version: 1 } })
  await writeFile(join(folder, 'agent.ts'), agentSource())
  await expect.poll(async () => (await studio.about()).loaded?.version).toBe(2)
  expect((await studio.about()).loadError).toBeUndefined()
  expect(await studio.run({ input: 'Again' })).toMatchObject({ source: { version: 2 } })
})

slowTest('a change in a file that is imported through others is seen', async () => {
  const folder = await studioFiles({
    'agent.ts': `import { word } from './first.mjs'\n${agentSource('export const studio = { prompts: [word] }')}`,
    'first.mjs': "export { word } from './second.mjs'",
    'second.mjs': "export const word = 'one'",
  })
  const studio = await testStudio(folder)
  expect((await studio.loaded()).prompts).toEqual(['one'])
  await writeFile(join(folder, 'second.mjs'), "export const word = 'two'")
  await expect.poll(async () => (await studio.about()).prompts).toEqual(['two'])
})

test('a tool that ends its process, and one that throws outside of a promise: the run is lost, and tells it', async () => {
  const studio = await testStudio(await studioFiles({ 'agent.ts': agentSource() }))
  await studio.loaded()
  const lossOf = async (input: string) => {
    const { id, status } = await studio.run({ input })
    expect(status).toBe('lost')
    const entry = await studio.entry(id, (one) => 'lost' in one)
    return { id, lost: 'lost' in entry ? entry.lost : undefined }
  }
  const quit = await lossOf('call quit')
  expect(quit.lost).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('the end is near') })
  const thrown = await lossOf('call throw_later')
  expect(thrown.lost).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('thrown outside') })
  expect(await studio.run({ input: 'Alive' })).toMatchObject({ status: 'ended' })
})

test('a tool that blocks for ever is ended by a stop', async () => {
  const studio = await testStudio(await studioFiles({ 'agent.ts': agentSource() }))
  await studio.loaded()
  const id = await studio.start({ input: 'call block' })
  await studio.entry(id, (entry) => 'event' in entry && entry.event.type === 'tool-start')
  await studio.post(`/api/runs/${id}/stop`)
  expect(await studio.ended(id)).toMatchObject({ status: 'lost' })
  await expect
    .poll(async () => (await studio.call('POST', '/api/runs', { agent: 'helper', input: 'x' })).status)
    .toBe(201)
})

test('a call that waits survives a change of the file and a restart', async () => {
  const folder = await studioFiles({ 'agent.ts': agentSource() })
  const first = await testStudio(folder)
  await first.loaded()
  const { id } = await first.run({ input: 'call pay {"amount":1}' })
  await first.close()
  const changed = (await readFile(join(folder, 'agent.ts'), 'utf8')).replace(
    'Pays a bill',
    'Pays a bill at once',
  )
  await writeFile(join(folder, 'agent.ts'), changed)
  const second = await testStudio(folder)
  await second.loaded()
  const [call] = await second.inbox()
  const decisions = { [call?.call.callId ?? '']: { type: 'approve' } }
  const refused = await second.call('POST', `/api/runs/${id}/decisions`, { decisions })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  await second.post(`/api/runs/${id}/decisions`, { decisions, allowChangedTools: true })
  expect(await second.ended(id)).toMatchObject({ status: 'ended', rounds: 2 })
})
