import { expectTypeOf, test } from 'vitest'
import {
  Agent,
  type Message,
  memorySessions,
  type RunEvent,
  type Session,
  type SessionStore,
  sessionStore,
} from '../../src/index.js'
import { scriptedModel } from '../scripted-model.js'

test('the parameters of a store of your own follow from its methods', () => {
  const { load, append, list } = memorySessions()
  const store = sessionStore({
    load(id) {
      expectTypeOf(id).toEqualTypeOf<string>()
      return load(id)
    },
    async append(id, messages, expectedVersion) {
      expectTypeOf(messages).toEqualTypeOf<readonly Message[]>()
      return append(id, messages, expectedVersion)
    },
    list: async (query) => list(query),
    delete: async () => {},
    fork: async (id, at, newId) => (id + newId).length + at,
    branches: async () => [],
  })
  expectTypeOf(store).toEqualTypeOf<SessionStore>()
  expectTypeOf(store.load).returns.resolves.toEqualTypeOf<Session>()
  // @ts-expect-error It has no `delete`.
  const incomplete = () => sessionStore({ load, append, list })
  expectTypeOf(incomplete).returns.toEqualTypeOf<SessionStore>()
})

test('a run takes a store with its code, and the place of a branch', () => {
  const agent = new Agent({ model: scriptedModel([]) })
  const store = memorySessions()
  const { wrapRun: _, ...plain } = store
  const runs = [
    () => agent.run('Go.', { session: { store, id: 'a' } }),
    () => agent.run('Go.', { session: { store, id: 'a', at: 0, as: 'b' } }),
    // @ts-expect-error A plain object does not have the code for runs.
    () => agent.run('Go.', { session: { store: plain, id: 'a' } }),
    // @ts-expect-error A place is a number.
    () => agent.run('Go.', { session: { store, id: 'a', at: '0' } }),
    // @ts-expect-error There is no such field.
    () => agent.run('Go.', { session: { store, id: 'a', index: 0 } }),
  ]
  expectTypeOf<Awaited<ReturnType<(typeof runs)[0]>>['session']>().toEqualTypeOf<
    { readonly id: string; readonly version: number } | undefined
  >()
})

test('the event names the calls', () => {
  expectTypeOf<Extract<RunEvent, { type: 'effects-left-behind' }>['calls'][number]>().toEqualTypeOf<{
    readonly callId: string
    readonly name: string
    readonly arguments: string
  }>()
})
