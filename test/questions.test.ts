// Questions of MCP servers, over everything that shows pending calls.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AnyAgent } from '@capstan/core'
import { folderRuns, persistent } from '@capstan/durable'
import { agentHandler } from '@capstan/http'
import { mcpTools } from '@capstan/mcp'
import { reply, scriptedModel } from '@capstan/testing'
import { recordRun, replayRun } from '@capstan/testing/recording'
import { expect, onTestFinished, test } from 'vitest'
import { asksTwice, serveAsking } from '../packages/mcp/test/asking-servers.js'
import { latch } from '../packages/mcp/test/latch.js'

async function clerk(): Promise<{ readonly agent: () => AnyAgent; readonly calls: () => number }> {
  const { url, seen } = await serveAsking(asksTwice)
  const server = await mcpTools({ url, settings: () => ({ effects: 'read' }) })
  onTestFinished(() => server.close())
  const agent = () => {
    const model = scriptedModel([
      reply.call('book', { day: 'Monday' }, { id: 'c1' }),
      ({ messages }) => reply.text(`It said: ${messages.at(-1)?.content}`),
    ])
    return new Agent({ name: 'clerk', model, tools: server.tools })
  }
  return { agent, calls: () => seen.length }
}

const oslo = { type: 'result', value: { city: 'Oslo' } } as const

function serverOf(agent: AnyAgent, secrets: readonly string[] = []) {
  const told = latch<string | undefined>()
  const handler = agentHandler(agent, {
    authenticate: () => ({ id: 'ann' }),
    approvals: { secrets },
    onPending: ({ calls }) => told.resolve(calls[0]?.token),
    onError: () => {},
  })
  const send = async (path: string, body?: object) => {
    const init = body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }
    const response = await handler(new Request(`http://localhost${path}`, init))
    return { response, text: await response.text() }
  }
  return { send, token: told.promise }
}

test('a page of the runs route is asked, and its answers go on in further runs', async () => {
  const { agent, calls } = await clerk()
  const { send } = serverOf(agent())
  const { response, text } = await send('/runs', { input: 'Book.' })
  expect(text).toContain('"kind":"input"')
  expect(text).not.toContain('"one"')
  const run = response.headers.get('x-run-id') ?? ''
  const listed = JSON.parse((await send('/runs?status=pending')).text)
  expect(listed.runs[0].pending).toMatchObject([
    { callId: 'c1/question1', name: 'book', message: 'Which city?', schema: { type: 'object' } },
  ])
  expect(JSON.stringify(listed)).not.toContain('requestState')
  const decide = (callId: string, decision: object) =>
    send('/runs', { run, decisions: { [callId]: decision } })
  const wrong = await decide('c1/question1', { type: 'result', value: { city: 1 } })
  expect([wrong.response.status, JSON.parse(wrong.text).error.code]).toEqual([400, 'invalid_arguments'])
  expect((await decide('c1/question1', { type: 'approve' })).response.status).toBe(400)
  expect((await decide('c1/question1', oslo)).text).toContain('c1/question2')
  expect((await decide('c1/question2', { type: 'deny', reason: 'No.' })).text).toContain('decline')
  expect(calls()).toBe(3)
})

test('a run that waits in place takes the answers of another request', async () => {
  const { agent, calls } = await clerk()
  const handler = agentHandler(agent(), { authenticate: () => ({ id: 'ann' }) })
  const post = (path: string, body: object) =>
    handler(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    )
  const response = await post('/runs', { input: 'Book.', wait: true })
  const run = response.headers.get('x-run-id')
  let seen = ''
  const statuses: number[] = []
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += text
    const callId = `c1/question${statuses.length + 1}`
    if (!seen.includes(`"callId":"${callId}"`) || statuses.length === 2) continue
    statuses.push(0)
    const decided = await post(`/runs/${run}/decisions`, { callId, decision: oslo })
    statuses[statuses.length - 1] = decided.status
  }
  expect(statuses).toEqual([204, 204])
  expect(seen).toContain('Booked')
  expect(calls()).toBe(3)
})

test('a link shows a question and takes its answer', async () => {
  const { agent } = await clerk()
  const { send, token } = serverOf(agent(), ['a secret of thirty-two characters!'])
  await send('/runs', { input: 'Book.' })
  const path = `/decisions/${await token}`
  const shown = JSON.parse((await send(path)).text)
  expect(shown).toMatchObject({ status: 'pending', kind: 'input', message: 'Which city?', name: 'book' })
  expect((await send(path, { decision: { type: 'approve' } })).response.status).toBe(400)
  expect((await send(path, { decision: { type: 'result', value: {} } })).response.status).toBe(400)
  expect((await send(path, { decision: oslo })).response.status).toBe(204)
})

test('a chat of useChat is asked by a part, and answers with the output of the call', async () => {
  const { agent } = await clerk()
  const { send } = serverOf(agent())
  const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Book.' }] }
  const { response, text } = await send('/ui', { id: 'chat', messages: [user] })
  const parts = text
    .split('\n')
    .flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []))
  const [question] = parts.filter(({ type }) => type === 'data-question')
  expect(question.data).toMatchObject({ toolCallId: 'c1/question1', message: 'Which city?' })
  expect(parts.some(({ type }) => type === 'tool-approval-request')).toBe(false)
  const { messageId } = parts.find(({ type }) => type === 'start')
  const runId = response.headers.get('x-run-id')
  const answer = (state: object) => ({
    id: 'chat',
    messages: [
      user,
      {
        id: messageId,
        role: 'assistant',
        metadata: { runId },
        parts: [
          { type: 'step-start' },
          { type: 'tool-book', toolCallId: 'c1', state: 'input-available', input: { day: 'Monday' } },
          { type: 'step-start' },
          { type: 'dynamic-tool', toolName: 'book', toolCallId: 'c1/question1', input: {}, ...state },
        ],
      },
    ],
  })
  const next = await send('/ui', answer({ state: 'output-available', output: { city: 'Oslo' } }))
  expect(next.text).toContain('c1/question2')
})

test('a chat of AG-UI is interrupted, and resumes with the answer', async () => {
  const { agent } = await clerk()
  const { send } = serverOf(agent())
  const body = { threadId: 't', runId: 'r', messages: [{ id: 'u', role: 'user', content: 'Book.' }] }
  const empty = { tools: [], context: [], state: {}, forwardedProps: {} }
  const interruptIn = (text: string) => {
    const events = text
      .split('\n')
      .flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []))
    return events.at(-1)?.outcome
  }
  const { text } = await send('/ag-ui', { ...empty, ...body })
  const { interrupts } = interruptIn(text)
  expect(interrupts).toMatchObject([
    {
      reason: 'input_required',
      message: 'Which city?',
      toolCallId: 'c1/question1',
      responseSchema: { type: 'object', required: ['city'] },
    },
  ])
  const resume = [{ interruptId: interrupts[0].id, status: 'resolved', payload: { city: 'Oslo' } }]
  const next = await send('/ag-ui', { ...empty, ...body, runId: 'r2', resume })
  expect(interruptIn(next.text).interrupts).toMatchObject([{ toolCallId: 'c1/question2' }])
  const cancelled = [{ interruptId: interruptIn(next.text).interrupts[0].id, status: 'cancelled' }]
  const last = await send('/ag-ui', { ...empty, ...body, runId: 'r3', resume: cancelled })
  expect(last.text).toContain('decline')
})

test('a persistent run waits for its answers in a folder, and goes on in another agent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-questions-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { agent, calls } = await clerk()
  const store = folderRuns(folder)
  const first = persistent(agent(), { store })
  const { pending } = await first.run('Book.', { runId: 'r' })
  expect(pending).toMatchObject([{ callId: 'c1/question1', kind: 'input' }])
  const echo = scriptedModel([({ messages }) => reply.text(`It said: ${messages.at(-1)?.content}`)])
  const second = persistent(new Agent({ name: 'clerk', model: echo, tools: agent().tools }), { store })
  await expect(second.decide('r', 'c1/question1', { type: 'result', value: 3 })).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
  await second.decide('r', 'c1/question1', oslo)
  expect((await second.result('r')).pending).toMatchObject([{ callId: 'c1/question2' }])
  await second.decide('r', 'c1/question2', oslo)
  expect((await second.result('r')).text).toMatch(/^It said: Booked/)
  expect(calls()).toBe(3)
})

test('a recorded run with questions is replayed without its server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-questions-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'run.jsonl')
  const { agent, calls } = await clerk()
  const made = agent()
  const recording = recordRun(file)
  const first = await made.run('Book.', recording)
  const second = await made.run(first.state, { decisions: { 'c1/question1': oslo }, ...recording })
  const { text } = await made.run(second.state, { decisions: { 'c1/question2': oslo }, ...recording })
  const replayed = await replayRun(file, { agent: made })
  expect(replayed.map(({ stopReason }) => stopReason)).toEqual(['pending', 'pending', 'done'])
  expect(replayed.at(-1)?.text).toBe(text)
  expect(calls()).toBe(3)
})
