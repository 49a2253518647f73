import type { Message, SessionStore } from '@capstan/core'
import { rejects, same } from './check.js'
import { sayAll } from './sample-messages.js'
import type { StoreRules } from './store-rules.js'

/** What must hold of a store when it is asked for several things at one time. */
export const sessionRaces: StoreRules = {
  'of two appends at once exactly one wins, and the other is a conflict': async (store) => {
    for (let round = 0; round < 10; round++) await race(store, { id: `new ${round}`, writers: 2 })
    for (let round = 0; round < 10; round++) await race(store, { id: 'the same', writers: 2 })
  },

  'of twenty appends at once exactly one wins': (store) => race(store, { id: 's', writers: 20 }),

  'appends that go on after a conflict all arrive, each in one piece': async (store) => {
    const blocks = Array.from({ length: 6 }, (_, at) => sayAll(1 + (at % 3), `block ${at}`))
    await Promise.all(blocks.map((block) => appendAtLast(store, block)))
    const { version, messages } = await store.load('s')
    same(version, blocks.flat().length, 'the version')
    const order = [...new Set(messages.map(({ content }) => Number(String(content).split(' ')[1])))]
    same(
      messages,
      order.flatMap((at) => blocks[at] ?? []),
      'the messages',
    )
  },

  '50 sessions at one time do not mix': async (store) => {
    const ids = Array.from({ length: 50 }, (_, at) => `session ${at}`)
    const fill = async (id: string) => {
      const messages = sayAll(6, id)
      for (let at = 0; at < 6; at += 2) await store.append(id, messages.slice(at, at + 2), at)
    }
    await Promise.all(ids.map(fill))
    const sessions = await Promise.all(ids.map((id) => store.load(id)))
    same(
      sessions,
      ids.map((id) => ({ id, version: 6, messages: sayAll(6, id) })),
      'the sessions',
    )
    const listed = (await store.list()).map(({ id, version }) => `${id}: ${version}`).sort()
    same(listed, ids.map((id) => `${id}: 6`).sort(), 'list')
  },
}

async function race(store: SessionStore, { id, writers }: { id: string; writers: number }): Promise<void> {
  const { version, messages } = await store.load(id)
  const blocks = Array.from({ length: writers }, (_, at) => sayAll(2, `writer ${at}`))
  const appends = blocks.map((block) => store.append(id, block, version))
  const outcomes = await Promise.allSettled(appends)
  const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
  same(winners.length, 1, `the number of winners among ${writers}`)
  for (const [at, append] of appends.entries()) {
    if (!winners.includes(at)) await rejects(append, 'conflict', 'an append that lost')
  }
  const wanted = [...messages, ...winners.flatMap((at) => blocks[at] ?? [])]
  same(await store.load(id), { id, version: version + 2, messages: wanted }, 'load')
}

/** Tries again as long as others come first: as often as there are others, at most. */
async function appendAtLast(store: SessionStore, messages: readonly Message[]): Promise<void> {
  for (let left = 30; ; left--) {
    const { version } = await store.load('s')
    const outcome = await store.append('s', messages, version).catch((error: unknown) => error)
    if (typeof outcome === 'number') return
    if (left === 0) throw outcome
    await rejects(Promise.reject(outcome), 'conflict', 'an append that lost')
  }
}
