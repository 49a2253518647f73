import { expect, onTestFinished, test, vi } from 'vitest'
import { serve } from '../../test/serve.js'
import { isDefaultFetch, nodeFetch } from './node-fetch.js'

test('recognizes the default fetch', async () => {
  expect(isDefaultFetch()).toBe(true)
  await (await fetch(await serve((_, response) => response.end()))).text()
  expect(isDefaultFetch()).toBe(true)
})

test('uses a replaced fetch, even one replaced before import', async () => {
  const own = globalThis.fetch
  onTestFinished(() => {
    globalThis.fetch = own
  })
  globalThis.fetch = async () => new Response('mine')
  vi.resetModules()
  const later = await import('./node-fetch.js')
  for (const send of [nodeFetch, later.nodeFetch])
    expect(await (await send('http://127.0.0.1:1/')).text()).toBe('mine')
  globalThis.fetch = new Proxy(own, {})
  expect(isDefaultFetch()).toBe(false)
})

test('uses a custom dispatcher', async () => {
  const origin = await serve((_, response) => response.end('found'))
  await (await fetch(origin)).text()
  const symbol = Symbol.for('undici.globalDispatcher.1')
  const known = globalThis as unknown as { [name: symbol]: { constructor: AgentClass } }
  const usual = known[symbol]
  if (!usual) throw new Error('There is no dispatcher.')
  onTestFinished(() => {
    known[symbol] = usual
  })
  const lookup: Lookup = (_, { all }, found) =>
    all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4)
  known[symbol] = new usual.constructor({ connect: { lookup } })
  expect(await (await nodeFetch(origin.replace('127.0.0.1', 'media.invalid'))).text()).toBe('found')
  for (const options of [{ pipelining: 0 }, { factory: () => usual }]) {
    known[symbol] = new usual.constructor(options)
    expect(isDefaultFetch()).toBe(false)
  }
  known[symbol] = new Proxy(usual, {
    get: (of, name) => (name === 'dispatch' ? () => {} : Reflect.get(of, name)),
  })
  expect(isDefaultFetch()).toBe(false)
  known[symbol] = new usual.constructor()
  expect(isDefaultFetch()).toBe(true)
})

type AgentClass = new (options?: object) => { constructor: AgentClass }
type Lookup = (
  host: string,
  options: { all?: boolean },
  found: (error: null, address: unknown, family?: number) => void,
) => void
