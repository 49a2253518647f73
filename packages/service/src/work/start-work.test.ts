import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import type { TroubleTasks } from '../../test/trouble-worker.js'
import { ServiceError } from '../http/service-error.js'
import { fromSource, startWork, type Work, type WorkOptions } from './start-work.js'

const file = fromSource(fileURLToPath(new URL('../../test/trouble-worker.ts', import.meta.url)))
const open: { close: () => Promise<void> }[] = []

function start(options: WorkOptions = {}): Work<TroubleTasks> {
  const work = startWork<TroubleTasks>({ workers: 1, file, ...options })
  open.push(work)
  return work
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((work) => work.close()))
})

const never = new AbortController().signal

test('a worker paints the same bytes', async () => {
  const work = startWork({ workers: 1 })
  open.push(work)
  const output = { kind: 'png' } as const
  const asked = { prompt: 'a red sailboat', width: 32, height: 32, cutOut: false, indexes: [0, 1], output }
  const [once, again] = await Promise.all([
    work.run('paint', asked, { signal: never }),
    work.run('paint', asked, { signal: never }),
  ])
  expect(once.map(({ caption }) => caption)).toEqual(['a red sailboat', 'a red sailboat'])
  expect(once).toEqual(again)
})

test('a ServiceError keeps its status, code, field and headers', async () => {
  const refusal = start().run('refuse', 'size', { signal: never })
  await expect(refusal).rejects.toBeInstanceOf(ServiceError)
  await expect(refusal).rejects.toMatchObject({
    status: 400,
    code: 'invalid_size',
    param: 'size',
    headers: { 'x-why': 'test' },
  })
})

test('an unexpected error is rethrown', async () => {
  await expect(start().run('fail', undefined, { signal: never })).rejects.toThrow('out of paint')
})

test('streams all bytes in order', async () => {
  const lengths: number[] = []
  for await (const chunk of start().stream('count', 200, { signal: never })) lengths.push(chunk.length)
  expect(lengths).toEqual(Array.from({ length: 200 }, (_, index) => index))
})

test('an abandoned stream stops its task and frees the thread', async () => {
  const work = start()
  for await (const chunk of work.stream('count', Number.POSITIVE_INFINITY, { signal: never })) {
    if (chunk.length === 3) break
  }
  expect(await work.run('echo', 'free', { signal: never })).toBe('free')
})

test('a failing stream throws at its reader', async () => {
  const read = async () => {
    for await (const _ of start().stream('breakOff', undefined, { signal: never }));
  }
  await expect(read()).rejects.toThrow('no more bytes')
})

test.each(some(['crash', 'exit', 'overflow'] as const))(
  'a dying worker (%s) fails only its own task',
  async (name) => {
    const work = start({ memoryMb: 64 })
    const [died, next, later] = await Promise.allSettled([
      work.run(name, undefined, { signal: never }),
      work.run('echo', 1, { signal: never }),
      work.run('echo', 2, { signal: never }),
    ])
    expect(died.status).toBe('rejected')
    expect([next, later]).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'fulfilled', value: 2 },
    ])
  },
)

test('a worker that cannot start fails its task at once', async () => {
  const work = start({
    file: { ...file, execArgv: ['--import', 'data:text/javascript,throw Error("no worker")'] },
  })
  await expect(work.run('echo', 1, { signal: never })).rejects.toThrow('no worker')
})

test('a full queue is a 429 with Retry-After', async () => {
  const work = start({ queue: 1 })
  const stop = new AbortController()
  const busy = [1, 2].map(() => work.run('spin', undefined, { signal: stop.signal }).catch(() => 'stopped'))
  const refused = work.run('echo', 3, { signal: never })
  await expect(refused).rejects.toMatchObject({ status: 429, code: 'queue_full' })
  await expect(refused).rejects.toHaveProperty('headers.retry-after', expect.stringMatching(/^[1-9]\d*$/))
  stop.abort()
  expect(await Promise.all(busy)).toEqual(['stopped', 'stopped'])
})

test('drops an aborted waiting task and stops a running one, even without pauses', async () => {
  const work = start({ queue: 1 })
  const [first, second] = [new AbortController(), new AbortController()]
  const running = work.run('spin', undefined, { signal: first.signal })
  const waiting = work.run('spin', undefined, { signal: second.signal })
  second.abort()
  await expect(waiting).rejects.toThrow('aborted')
  const next = work.run('echo', 'next', { signal: never })
  first.abort()
  await expect(running).rejects.toThrow('aborted')
  expect(await next).toBe('next')
})

test('closing ends running and waiting tasks and rejects new ones', async () => {
  const work = start()
  const busy = [1, 2].map(() => work.run('spin', undefined, { signal: never }).catch(() => 'ended'))
  await work.close()
  expect(await Promise.all(busy)).toEqual(['ended', 'ended'])
  await expect(work.run('echo', 1, { signal: never })).rejects.toMatchObject({ status: 503 })
})
