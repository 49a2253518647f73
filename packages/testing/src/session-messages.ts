import { rejects, same } from './check.js'
import { everyKind, say, sayAll } from './sample-messages.js'
import type { StoreRules } from './store-rules.js'

/** What must hold of the messages and versions of a store. */
export const sessionMessages: StoreRules = {
  'a session that is not there has version 0, no messages, and is not listed': async (store) => {
    same(await store.load('s'), { id: 's', version: 0, messages: [] }, 'load')
    same(await store.list(), [], 'list')
  },

  'messages of every kind come back with every field': async (store) => {
    same(await store.append('s', everyKind, 0), everyKind.length, 'the version that append returns')
    same(await store.load('s'), { id: 's', version: everyKind.length, messages: everyKind }, 'load')
  },

  'control characters and halves of characters come back': async (store) => {
    const messages = [say('\0\u0001\u001f\u007f\u0085\ufeff\uffff'), say('\ud83d'), say('\ude00 \ud83d')]
    await store.append('s', messages, 0)
    same((await store.load('s')).messages, messages, 'the messages')
  },

  'a message of 1 MB comes back': async (store) => {
    const messages = [say('0123456789abcdeé'.repeat(65_536)), say('after it')]
    await store.append('s', messages, 0)
    same((await store.load('s')).messages, messages, 'the messages')
  },

  'versions count messages, and messages keep their order over many appends': async (store) => {
    const messages = sayAll(60, 'message')
    let version = 0
    for (const count of [1, 2, 30, 7, 1, 19]) {
      const next = messages.slice(version, version + count)
      same(await store.append('s', next, version), version + count, 'the version that append returns')
      version += count
    }
    same(await store.load('s'), { id: 's', version: 60, messages }, 'load')
  },

  'adding nothing changes nothing, at the right version only': async (store) => {
    same(await store.append('s', [], 0), 0, 'the version of a session that is not there')
    same(await store.list(), [], 'list')
    await store.append('s', sayAll(2, 'm'), 0)
    same(await store.append('s', [], 2), 2, 'the version')
    await rejects(store.append('s', [], 1), 'conflict', 'adding nothing to another version')
    same((await store.load('s')).messages, sayAll(2, 'm'), 'the messages')
  },

  'an append to another version is a conflict with the version found, and changes nothing': async (store) => {
    const late = sayAll(3, 'late')
    const toNothing = await rejects(store.append('s', late, 1), 'conflict', 'version 1 of nothing')
    same(toNothing.evidence?.version, 0, 'evidence.version')
    await store.append('s', sayAll(2, 'first'), 0)
    for (const expected of [0, 1, 3, -2, Number.NaN]) {
      const error = await rejects(store.append('s', late, expected), 'conflict', `version ${expected} of 2`)
      same(error.evidence?.version, 2, 'evidence.version')
    }
    same(await store.load('s'), { id: 's', version: 2, messages: sayAll(2, 'first') }, 'load')
    same(await store.append('s', late, 2), 5, 'the version after an append to the version found')
  },

  'what is stored is a copy: neither what was given nor what was loaded changes it': async (store) => {
    const given = [{ role: 'user' as const, content: [{ type: 'text', text: 'as it was' }] }]
    const wanted = structuredClone(given)
    const appending = store.append('s', given, 0)
    for (const message of given) message.content = [{ type: 'text', text: 'changed after append' }]
    given.push(...structuredClone(given))
    same(await appending, 1, 'the version')
    const loaded = await store.load('s')
    same(loaded.messages, wanted, 'the messages')
    for (const message of loaded.messages) Object.assign(message, { content: 'changed after load' })
    loaded.messages.push(say('pushed'))
    same((await store.load('s')).messages, wanted, 'the messages, loaded again')
  },
}
