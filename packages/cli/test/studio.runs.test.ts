import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { agentSource } from './studio-agents.js'
import { studioFiles, testStudio } from './studio-client.js'

async function openStudio() {
  const studio = await testStudio(await studioFiles({ 'agent.ts': agentSource() }))
  await studio.loaded()
  return studio
}

test('a question becomes a run with entries, a state and an explanation', async () => {
  const studio = await openStudio()
  const { id, ...summary } = await studio.run({ input: 'call get_weather {"city":"Oslo"}' })
  expect(summary).toMatchObject({
    kind: 'run',
    agent: 'helper',
    status: 'ended',
    stopReason: 'done',
    source: { version: 1, program: 'studio' },
  })
  const types = (await studio.entries(id)).flatMap((entry) => ('event' in entry ? [entry.event.type] : []))
  expect(types).toEqual(expect.arrayContaining(['run-start', 'tool-start', 'tool-end', 'run-end']))
  expect(await studio.get(`/api/runs/${id}/states/0`)).toMatchObject({ messages: [{ role: 'user' }] })
  expect(await studio.get(`/api/runs/${id}/explain`)).toContain('get_weather')
  expect(await studio.get('/api/runs')).toMatchObject({ runs: [{ id }] })
})

slowTest('a conversation continues with what was said before', async () => {
  const studio = await openStudio()
  const first = await studio.run({ input: 'One' })
  const second = await studio.run({ input: 'Two', after: first.id })
  expect(second.after).toBe(first.id)
  expect(await studio.get(`/api/runs/${second.id}/states/0`)).toMatchObject({
    messages: [{ content: 'One' }, { content: 'Read: One' }, { content: 'Two' }],
  })
})

test('a call is approved, approved with other arguments, and denied; the model reads it', async () => {
  const studio = await openStudio()
  const decide = async (decision: object) => {
    const { id, status } = await studio.run({ input: 'call pay {"amount":12}' })
    expect(status).toBe('pending')
    const [call] = await studio.inbox()
    expect(call).toMatchObject({ run: id, agent: 'helper', schema: { properties: { amount: {} } } })
    const decisions = { [call?.call.callId ?? '']: decision }
    const { status: code, body } = await studio.call('POST', `/api/runs/${id}/decisions`, { decisions })
    if (code !== 202) return { code, body }
    const ended = await studio.ended(id)
    const result = (await studio.messages(id)).find(({ role }) => role === 'tool')
    return { code, rounds: ended.rounds, result: result?.content }
  }
  expect(await decide({ type: 'approve' })).toMatchObject({ rounds: 2, result: '{"paid":12}' })
  expect(await decide({ type: 'approve', arguments: { amount: 5 } })).toMatchObject({ result: '{"paid":5}' })
  expect(await decide({ type: 'deny', reason: 'too dear' })).toMatchObject({
    result: expect.stringContaining('too dear'),
  })
  const misfit = await decide({ type: 'approve', arguments: { amount: 'much' } })
  expect(misfit).toMatchObject({ code: 400, body: { error: { code: 'invalid_arguments' } } })
})

slowTest('a tool without a function gets its result from a person', async () => {
  const studio = await openStudio()
  const { id } = await studio.run({ input: 'call ask_user {"question":"Which one?"}' })
  const [call] = await studio.inbox()
  expect(call?.call.kind).toBe('result')
  const decisions = { [call?.call.callId ?? '']: { type: 'result', value: 'the red one' } }
  await studio.post(`/api/runs/${id}/decisions`, { decisions })
  expect(await studio.ended(id)).toMatchObject({ status: 'ended', stopReason: 'done' })
  expect(await studio.get('/api/inbox')).toEqual([])
})

test('a run is told something, is stopped, and continues', async () => {
  const studio = await openStudio()
  const id = await studio.start({ input: 'call wait' })
  await studio.entry(id, (entry) => 'event' in entry && entry.event.type === 'tool-start')
  await studio.post(`/api/runs/${id}/messages`, { text: 'Hurry' })
  await studio.post(`/api/runs/${id}/stop`)
  expect(await studio.ended(id)).toMatchObject({ status: 'ended', stopReason: 'aborted' })
  expect((await studio.call('POST', `/api/runs/${id}/messages`, { text: 'Late' })).status).toBe(409)
  await studio.post(`/api/runs/${id}/resume`)
  expect(await studio.ended(id)).toMatchObject({ rounds: 2, stopReason: 'done' })
})

test('a fork continues with a changed result; calls that may change something wait', async () => {
  const studio = await openStudio()
  const { id } = await studio.run({ input: 'call get_weather {"city":"Oslo"}' })
  const last = 2
  const { messages } = Object(await studio.get(`/api/runs/${id}/states/${last}`))
  const index = messages.findIndex(({ role }: { role: string }) => role === 'tool')
  const fork = { run: id, checkpoint: last, messages: [{ index, content: '{"degrees":31}' }] }
  const forked = await studio.run({ fork })
  expect(forked.fork).toEqual({ run: id, checkpoint: last, change: 'result of get_weather' })
  const events = (await studio.entries(forked.id)).flatMap((one) => ('event' in one ? [one.event] : []))
  expect(events.filter(({ type }) => type === 'tool-start')).toEqual([])
  expect(JSON.stringify(events)).toContain('Read: {\\"degrees\\":31}')
  const prompt = [{ index: 0, content: 'call quit' }]
  const asking = await studio.run({ fork: { run: id, checkpoint: 0, messages: prompt } })
  expect(asking).toMatchObject({ status: 'pending', fork: { change: 'prompt' } })
})

test('a tool is called alone: a result, invalid arguments in the words of a model, and no approval', async () => {
  const studio = await openStudio()
  const call = async (name: string, given: unknown) => {
    const { id } = Object(await studio.post(`/api/tools/${name}/calls`, { arguments: given }))
    const summary = await studio.ended(String(id))
    const ends = (await studio.entries(String(id))).flatMap((entry) =>
      'event' in entry && entry.event.type === 'tool-end' ? [entry.event] : [],
    )
    return { summary, end: ends[0] }
  }
  expect(await call('pay', { amount: 3 })).toMatchObject({
    summary: { kind: 'tool-call', title: 'pay {"amount":3}' },
    end: { status: 'ok', content: '{"paid":3}' },
  })
  expect((await call('pay', { amount: 'x' })).end).toMatchObject({
    status: 'rejected',
    content: expect.stringContaining('amount'),
  })
})

test('runs are found, named, pinned and removed', async () => {
  const studio = await openStudio()
  const { id } = await studio.run({ input: 'Something about boats' })
  const other = await studio.run({ input: 'call get_weather {"city":"Rome"}' })
  const find = async (query: string) => {
    const { runs } = Object(await studio.get(`/api/runs?${query}`))
    return runs.map((run: { id: string }) => run.id)
  }
  expect(await find('text=boats')).toEqual([id])
  expect(await find('tool=get_weather')).toEqual([other.id])
  expect(await find('status=pending')).toEqual([])
  expect((await studio.call('PATCH', `/api/runs/${id}`, { isPinned: true, title: 'Boats' })).status).toBe(204)
  expect(await studio.get(`/api/runs/${id}`)).toMatchObject({ isPinned: true, title: 'Boats' })
  expect((await studio.call('DELETE', `/api/runs/${other.id}`)).status).toBe(204)
  expect((await studio.call('GET', `/api/runs/${other.id}`)).status).toBe(404)
})

test('requests that make no sense are refused', async () => {
  const studio = await openStudio()
  const statusOf = async (path: string, body: unknown) => (await studio.call('POST', path, body)).status
  expect(await statusOf('/api/runs', {})).toBe(400)
  expect(await statusOf('/api/runs', { agent: 'nobody', input: 'x' })).toBe(404)
  expect(await statusOf('/api/runs', { agent: 'helper', input: '' })).toBe(400)
  expect(await statusOf('/api/runs', { agent: 'helper', input: 'x', attachments: ['../x'] })).toBe(404)
  expect(await statusOf('/api/runs', { agent: 'helper', fork: { run: '../x', checkpoint: 0 } })).toBe(404)
  expect(await statusOf('/api/tools/nothing/calls', { arguments: {} })).toBe(404)
  expect(await statusOf('/api/runs/nothing/decisions', { decisions: {} })).toBe(404)
  expect(await statusOf('/api/runs/nothing/check', {})).toBe(404)
})
