import { reply, scriptedModel } from '@capstan/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Agent, type ChatModel, isCapstanError, sessionStore } from '../index.js'

let warnings: Error[] = []
let unhandled: unknown[] = []
const onWarning = (warning: Error) => warnings.push(warning)
const onUnhandled = (reason: unknown) => unhandled.push(reason)

beforeEach(() => {
  warnings = []
  unhandled = []
  process.on('warning', onWarning)
  process.on('unhandledRejection', onUnhandled)
})
afterEach(() => {
  process.off('warning', onWarning)
  process.off('unhandledRejection', onUnhandled)
})

/**
 * Resolves once the failures of all runs so far have been reported, because that of a later run has been. Leaves out
 * the later run.
 */
async function untilReported(): Promise<void> {
  const isLast = ({ message }: Error) => message.includes('The last one.')
  const reported = new Promise<void>((resolve) => {
    const listener = (warning: Error) => {
      if (!isLast(warning)) return
      process.off('warning', listener)
      resolve()
    }
    process.on('warning', listener)
  })
  failing('The last one.').agent.stream('Go.')
  await reported
  warnings = warnings.filter((warning) => !isLast(warning))
}

/** An agent whose runs fail, and a promise for the end of the first run. */
function failing(message = 'No such key.') {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const agent = new Agent({
    model: scriptedModel([reply.fail('auth', { message }), reply.fail('auth', { message })]),
    observe: ({ type }) => {
      if (type === 'run-end') end()
    },
  })
  return { agent, ended }
}

test('the failure of a stream that nothing follows is one warning with code and message', async () => {
  const { agent, ended } = failing()
  agent.stream('Go.')
  await ended
  await untilReported()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatchObject({ code: 'auth', message: expect.stringContaining('No such key.') })
  expect(unhandled).toEqual([])
})

test('so is a failure before the first event', async () => {
  const { agent } = failing()
  const run = agent.stream('Go.', { limits: { steps: -1 } })
  // A run that does not start emits no event, so this listener receives nothing.
  run.on('run-end', () => {})
  await untilReported()
  expect(warnings).toMatchObject([{ code: 'invalid_request', message: expect.stringContaining('steps') }])
})

test('so is a failure after the last event', async () => {
  let full = () => {}
  const appended = new Promise<void>((resolve) => {
    full = resolve
  })
  const store = sessionStore({
    load: async (id) => ({ id, messages: [], version: 0 }),
    append: async () => {
      full()
      throw new Error('The disk is full.')
    },
    list: async () => [],
    delete: async () => {},
  })
  const agent = new Agent({ model: scriptedModel([reply.text('Done.')]) })
  const stopReasons: string[] = []
  const run = agent.stream('Go.', { session: { store, id: 's' } })
  run.on('run-end', ({ stopReason }) => stopReasons.push(stopReason))
  await appended
  await untilReported()
  expect(stopReasons).toEqual(['done'])
  expect(warnings).toMatchObject([{ message: expect.stringContaining('The disk is full.') }])
})

test('the warning has no credentials, and not the error with its state and cause', async () => {
  const secret = 'sk-abcdefghijklmnopqrstuvwxyz0123456789'
  const model: ChatModel = {
    name: 'm',
    complete: () =>
      Promise.reject(Object.assign(new Error(`Refused: ${secret}`), { headers: { key: secret } })),
  }
  new Agent({ model }).stream('Go.')
  await untilReported()
  const { inspect } = await import('node:util')
  expect(inspect(warnings, { depth: 9, showHidden: true })).toContain('[redacted]')
  expect(inspect(warnings, { depth: 9, showHidden: true })).not.toContain(secret)
  expect(warnings[0]).not.toHaveProperty('state')
})

test('a run whose result is awaited is not reported, nor one that is iterated', async () => {
  const { agent } = failing()
  await expect(agent.stream('Go.').result).rejects.toMatchObject({ code: 'auth' })
  const reading = async () => {
    for await (const _ of agent.stream('Go.').textStream);
  }
  await expect(reading()).rejects.toMatchObject({ code: 'auth' })
  await untilReported()
  expect(warnings).toEqual([])
})

test('a listener of run-end follows the run; one of text does not hear of a failure', async () => {
  const { agent } = failing()
  const told: unknown[] = []
  agent.stream('Go.').on('run-end', (event) => told.push(event))
  await untilReported()
  expect(told).toMatchObject([{ stopReason: 'error', code: 'auth', message: 'No such key.' }])
  expect(warnings).toEqual([])
  agent.stream('Go.').on('text-delta', () => {})
  await untilReported()
  expect(warnings).toHaveLength(1)
})

test('the result may be asked for until the failure has been told elsewhere', async () => {
  const { agent, ended } = failing()
  const run = agent.stream('Go.')
  await ended
  await Promise.resolve()
  await expect(run.result).rejects.toMatchObject({ code: 'auth' })
  await untilReported()
  expect(warnings).toEqual([])
})

test('a reader that comes after the warning gets all events and the error, and no second warning', async () => {
  const { agent, ended } = failing()
  const run = agent.stream('Go.')
  await ended
  await untilReported()
  expect(warnings).toHaveLength(1)
  const types: string[] = []
  const reading = (async () => {
    for await (const { type } of run) types.push(type)
  })()
  await expect(reading).rejects.toSatisfy(isCapstanError)
  expect([types[0], types.at(-1)]).toEqual(['run-start', 'run-end'])
  await expect(run.result).rejects.toMatchObject({ code: 'auth' })
  await untilReported()
  expect(warnings).toHaveLength(1)
})

test('a detached run that fails after its reader left is reported', async () => {
  const { agent, ended } = failing()
  for await (const { type } of agent.stream('Go.', { detach: true })) if (type === 'run-start') break
  await ended
  await untilReported()
  expect(warnings).toHaveLength(1)
})

test('a reader that stops at the failure has heard it', async () => {
  const { agent } = failing()
  for await (const { type } of agent.stream('Go.', { detach: true })) if (type === 'run-end') break
  await untilReported()
  expect(warnings).toEqual([])
})

test('runs that end without an error are not reported, aborted ones included', async () => {
  const agent = new Agent({ model: scriptedModel([reply.text('Done.')]) })
  agent.stream('Go.')
  agent.stream('Go.').abort()
  await untilReported()
  expect(warnings).toEqual([])
})
