import { expect, test } from 'vitest'
import { byCall, groups, named as preparing } from './many-tools.examples.js'
import { calling, githubTools, named, offeredIn } from './search/tools.js'

const given = () => ({
  model: calling([['find_tools', { query: 'write a mail to somebody' }]]),
  look: named('look'),
  github: githubTools,
  mail: [
    named('send_mail', 'Sends a mail'),
    named('read_mail', 'Reads a mail'),
    named('delete_mail', 'Deletes a mail'),
  ],
})

test('the groups of the page share a search', async () => {
  const parts = given()
  const { toolCalls } = await groups(parts).run('Go.')
  expect(offeredIn(parts.model.requests[0])).toEqual(['look', 'find_tools'])
  const { description = '' } = parts.model.requests[0]?.tools[1]?.function ?? {}
  expect(description).toMatch(/\n- github: 300 tools \(.*issues.*\)\n- mail: 3 tools \(mail, /)
  expect(new TextEncoder().encode(description).byteLength).toBeLessThan(1024)
  expect(toolCalls[0]?.result).toMatchObject({ names: expect.arrayContaining(['send_mail']) })
})

test('the tools that are called never change the list of the page', async () => {
  const parts = given()
  await byCall(parts).run('Go.')
  expect(parts.model.requests.map(offeredIn)).toEqual([
    ['find_tools', 'call_tool'],
    ['find_tools', 'call_tool'],
  ])
})

test('the prepareStep of the page offers a deferred tool', async () => {
  const parts = given()
  await preparing(parts).run('Go.')
  expect(offeredIn(parts.model.requests[0])).toEqual(['find_tools', 'issues_create'])
  expect(offeredIn(parts.model.requests[1])).toContain('issues_create')
})
