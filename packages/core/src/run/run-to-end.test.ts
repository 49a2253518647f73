import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { Agent, agentTool, type ChatModel, type RunEvent } from '../index.js'

type RunEnd = Extract<RunEvent, { type: 'run-end' }>

/** The last events of a run, one for each run within it. */
async function endsOf(run: (observe: (event: RunEvent) => void) => Promise<unknown>) {
  const ends: RunEnd[] = []
  const error = await run((event) => {
    if (event.type === 'run-end') ends.push(event)
  }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { ends, error }
}

test('the end of a failed run has the code and the message of its error', async () => {
  const agent = new Agent({ model: scriptedModel([reply.fail('auth', { message: 'No such key.' })]) })
  const { ends, error } = await endsOf((observe) => agent.run('Go.', { observe }))
  expect(error).toMatchObject({ code: 'auth', message: 'No such key.' })
  expect(ends).toMatchObject([{ stopReason: 'error', code: 'auth', message: 'No such key.' }])
})

test('an end without an error has neither', async () => {
  const agent = new Agent({ model: scriptedModel([reply.text('Done.')]) })
  const { ends } = await endsOf((observe) => agent.run('Go.', { observe }))
  expect(ends).toMatchObject([{ stopReason: 'done' }])
  expect(Object.keys(ends[0] ?? {})).not.toContain('code')
  expect(Object.keys(ends[0] ?? {})).not.toContain('message')
})

test('so has the end of a run that fails before its first request', async () => {
  const agent = new Agent({
    model: scriptedModel([]),
    middleware: [
      {
        name: 'broken',
        beforeRun: () => {
          throw new TypeError('The rules are missing.')
        },
      },
    ],
  })
  const { ends, error } = await endsOf((observe) => agent.run('Go.', { observe }))
  expect(ends).toMatchObject([
    {
      seq: 1,
      stopReason: 'error',
      code: 'api',
      message: 'beforeRun of middleware "broken" failed: The rules are missing.',
    },
  ])
  expect(error).toMatchObject({ code: 'api' })
  const attached = await endsOf((observe) =>
    new Agent({ model: scriptedModel([]) }).run('Go.', { observe, attachments: [{ path: '/no/such/file' }] }),
  )
  expect(attached.ends).toMatchObject([
    { stopReason: 'error', code: (attached.error as { code: string }).code, message: expect.any(String) },
  ])
})

test('the message of a failed end has no credentials', async () => {
  const secret = 'sk-abcdefghijklmnopqrstuvwxyz0123456789'
  const model: ChatModel = {
    name: 'm',
    complete: () =>
      Promise.reject(new Error(`The gateway refused Bearer ${secret} of ada:hunter2@db.example.`)),
  }
  const { ends } = await endsOf((observe) => new Agent({ model }).run('Go.', { observe }))
  const [end] = ends
  expect(end).toMatchObject({
    stopReason: 'error',
    code: 'api',
    message: expect.stringContaining('[redacted]'),
  })
  expect(JSON.stringify(end)).not.toContain(secret)
})

test('so has the end of a child run, whose failure is the error of a call', async () => {
  const child = new Agent({
    name: 'child',
    model: scriptedModel([reply.fail('quota', { message: 'Used up.' })]),
  })
  const model = scriptedModel([reply.call('child', { input: 'Go.' }), reply.text('It failed.')])
  const agent = new Agent({ model, tools: [agentTool(child)] })
  const { ends, error } = await endsOf((observe) => agent.run('Go.', { observe }))
  expect(error).toBeUndefined()
  expect(ends).toMatchObject([
    { parentCallId: 'call_1_1', stopReason: 'error', code: 'quota', message: 'Used up.' },
    { stopReason: 'done' },
  ])
})
