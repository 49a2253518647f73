import { afterEach, expect, test, vi } from 'vitest'
import type { Batch, Program, Turn } from '../src/engine/program.js'
import { defaultBounds } from '../src/engine/program.js'

type NextTurn = (key: string, program: Program, batches: readonly Batch[]) => Promise<Turn>

afterEach(() => {
  vi.restoreAllMocks()
  vi.resetModules()
})

/** The engine of a process with these threads. */
async function engineWith(threads: unknown): Promise<NextTurn> {
  vi.resetModules()
  const own = process.getBuiltinModule
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
    name === 'node:worker_threads' ? threads : own.call(process, name)) as never)
  return (await import('../src/engine/engine.js')).nextTurn
}

const program: Program = {
  source: 'const { a } = await tools.add({ a: 1 })\nreturn a + Math.floor(Math.random() * 0)',
  seed: 's',
  tools: ['add'],
  refused: {},
  bounds: defaultBounds,
}
const calls = [{ name: 'add', arguments: '{"a":1}', site: 0 }]
const batch: Batch = { calls, outcomes: [{ ok: true, value: { a: 41 } }] }

test('without threads the engine is in the thread of its caller', async () => {
  const nextTurn = await engineWith(undefined)
  expect(await nextTurn('a', program, [])).toEqual({ calls })
  expect(await nextTurn('a', program, [batch])).toEqual({ end: { value: '41', console: [] } })
  // Another run repeats it from its start.
  expect(await nextTurn('b', program, [batch])).toEqual({ end: { value: '41', console: [] } })
})

test('where no thread can start, a warning says what that means', async () => {
  class Broken {
    constructor() {
      throw new Error('no threads here')
    }
  }
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const nextTurn = await engineWith({ Worker: Broken })
  expect(await nextTurn('a', program, [batch])).toEqual({ end: { value: '41', console: [] } })
  expect(warned.mock.calls.map(([message]) => message)).toEqual([
    'The program engine could not start a thread (Error: no threads here). A program can block this process while it computes.',
  ])
})

test('more programs than the engine holds run again from their start, to the same end', async () => {
  const nextTurn = await engineWith(undefined)
  const keys = Array.from({ length: 70 }, (_, at) => `program${at}`)
  for (const key of keys) expect(await nextTurn(key, program, [])).toEqual({ calls })
  for (const key of keys)
    expect(await nextTurn(key, program, [batch])).toMatchObject({ end: { value: '41' } })
})

test('programs beyond those that the engine holds repeat, not all of them', async () => {
  const nextTurn = await engineWith(undefined)
  let engines = 0
  const { Memory } = WebAssembly
  vi.stubGlobal('WebAssembly', {
    ...Object.fromEntries(
      Object.getOwnPropertyNames(WebAssembly).map((name) => [name, Reflect.get(WebAssembly, name)]),
    ),
    Memory: class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        super(descriptor)
        // The memory for the snapshot cannot grow.
        if (descriptor.maximum !== descriptor.initial) engines += 1
      }
    },
  })
  const loop = { ...program, source: 'for (;;) await tools.add({ a: 1 })' }
  const keys = Array.from({ length: 66 }, (_, at) => `program${at}`)
  for (let round = 0; round < 4; round++)
    for (const key of keys) expect(await nextTurn(key, loop, Array(round).fill(batch))).toEqual({ calls })
  vi.unstubAllGlobals()
  // 64 are held; the other 2 start in each round.
  expect(engines).toBe(64 + 2 * 4)
})
