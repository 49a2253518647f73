// Random trees of messages, changed messages and replies that are generated again, over each store and each protocol. The
// chat is what its user made of it, servers accept each branch, and of four who write at once no one loses a message.
//
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-trees.ts 1000
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-trees.ts 1000 postgres

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, chatModel, memorySessions, type SessionStore, tool } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { folderSessions } from '@capstan/core/node'
import { responsesModel } from '@capstan/core/responses'
import * as z from 'zod'
import { startPostgres } from '../../../../scripts/postgres.mjs'
import { storesOf } from '../../../stores/test/stores-of.js'
import { type AgentHandler, agentHandler } from '../../src/index.js'
import { startProtocolServer } from './protocol-server.js'

const count = Number(process.argv[2] ?? 1000)
const postgres = process.argv[3] === 'postgres' ? await startPostgres() : undefined
const folder = await mkdtemp(join(tmpdir(), 'capstan-trees-'))
const database = storesOf(
  postgres ? { url: postgres.url, schema: 'trees' } : { file: join(folder, 'chats.db') },
)
await using server = await startProtocolServer()
const faults: string[] = []
const counts = { trees: 0, sent: 0, changed: 0, regenerated: 0, refused: 0 }

const note = tool({
  name: 'note',
  description: 'Notes',
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => `noted ${text}`,
})
const options = { baseURL: server.baseURL, apiKey: '', maxRetries: 0 } as const
const models = [chatModel('m', options), responsesModel('m', options), messagesModel('m', options)]
const stores: readonly SessionStore[] = [
  ...(postgres ? [] : [memorySessions(), folderSessions(join(folder, 'sessions'))]),
  database.sessions,
]
const handlers = stores.map((sessions) =>
  models.map((model) =>
    agentHandler(new Agent({ name: 'clerk', model, tools: [note] }), {
      authenticate: () => ({ id: 'ann' }),
      sessions,
      sweepMs: 0,
      // Of four who write at once, three are told that another one was first.
      onError: () => {},
    }),
  ),
)

interface Shown {
  readonly id: string
  readonly role: string
  readonly text: string
}

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)]

class Tree {
  readonly #id: string
  readonly #handlers: readonly AgentHandler[]
  #path: readonly Shown[] = []
  #words = 0

  constructor(id: string, shared: readonly AgentHandler[]) {
    this.#id = id
    this.#handlers = shared
  }

  async grow(): Promise<void> {
    await this.#send()
    for (let act = 0; act < 5; act++) {
      const kind = Math.floor(Math.random() * 3)
      if (kind === 0) await this.#send()
      else if (kind === 1) await this.#change()
      else await this.#regenerate()
    }
    await this.#writeAtOnce()
  }

  async #send(): Promise<void> {
    counts.sent += 1
    const text = `word ${this.#words++}`
    await this.#post({ messages: [userMessage(`${this.#id} ${text}`, text)] })
    await this.#expect([...this.#path.map((one) => one.text), text, `Reply to ${text}`])
  }

  async #change(): Promise<void> {
    counts.changed += 1
    const users = this.#path.filter(({ role }) => role === 'user')
    const { id = '' } = pick(users) ?? {}
    const text = `word ${this.#words++}`
    const kept = this.#path.slice(
      0,
      this.#path.findIndex((one) => one.id === id),
    )
    await this.#post({ messages: [userMessage(id, text)], messageId: id })
    await this.#expect([...kept.map((one) => one.text), text, `Reply to ${text}`])
  }

  async #regenerate(): Promise<void> {
    counts.regenerated += 1
    const { id = '' } = pick(this.#path.filter(({ role }) => role === 'assistant')) ?? {}
    const at = this.#path.findIndex((one) => one.id === id)
    const kept = this.#path.slice(0, at).map((one) => one.text)
    const last = kept.at(-1) ?? ''
    const messages = [userMessage('what the page has', 'does not count')]
    await this.#post({ messages, trigger: 'regenerate-message', messageId: id })
    await this.#expect([...kept, `Reply to ${last}`])
  }

  /** Four writers send at once: each message that was taken is in a branch, with its reply. */
  async #writeAtOnce(): Promise<void> {
    const texts = [0, 1, 2, 3].map(() => `word ${this.#words++}`)
    const taken = await Promise.all(
      texts.map(async (text) => {
        const response = await this.#ask('POST', '', {
          id: this.#id,
          messages: [userMessage(`${this.#id} ${text}`, text)],
        })
        const isTaken = response.status === 200 && !/"type":"error"/.test(await response.text())
        if (!isTaken) counts.refused += 1
        return isTaken ? [text] : []
      }),
    )
    const { branches } = await (await this.#ask('GET', `/${encodeURIComponent(this.#id)}`)).json()
    const all = new Set<string>()
    for (const { id } of branches)
      for (const { text } of await this.#read(`?branch=${encodeURIComponent(id)}`)) all.add(text)
    for (const text of taken.flat())
      for (const wanted of [text, `Reply to ${text}`])
        if (!all.has(wanted)) faults.push(`${this.#id}: "${wanted}" is lost`)
  }

  async #post(body: object): Promise<void> {
    const response = await this.#ask('POST', '', { id: this.#id, ...body })
    const text = await response.text()
    if (response.status !== 200 || text.includes('"type":"error"'))
      faults.push(`${this.#id}: ${response.status} ${text.slice(-300)}`)
  }

  async #expect(texts: readonly string[]): Promise<void> {
    this.#path = await this.#read()
    const found = this.#path.map(({ text }) => text)
    if (found.join('|') !== texts.join('|'))
      faults.push(`${this.#id}: ${found.join('|')} instead of ${texts.join('|')}`)
  }

  async #read(query = ''): Promise<readonly Shown[]> {
    const response = await this.#ask('GET', `/${encodeURIComponent(this.#id)}${query}`)
    const { messages } = await response.json()
    return messages.map(({ id, role, parts }: { id: string; role: string; parts: readonly Part[] }) => ({
      id,
      role,
      text: parts.flatMap(({ type, text }) => (type === 'text' ? text : [])).join(''),
    }))
  }

  /** Each request goes over another protocol. */
  #ask(method: string, path: string, body?: object): Promise<Response> {
    const handler = pick(this.#handlers) as AgentHandler
    return handler(
      new Request(`http://localhost/ui${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: body ? JSON.stringify(body) : null,
      }),
    )
  }
}

interface Part {
  readonly type: string
  readonly text?: string
}

const userMessage = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })

for (; counts.trees < count; counts.trees++)
  await new Tree(`tree ${counts.trees}`, handlers[counts.trees % stores.length] ?? []).grow()
faults.push(...server.refusals)
await Promise.all(handlers.flat().map((handler) => handler.close()))
await database.close()
postgres?.stop()
await rm(folder, { recursive: true })
console.log(JSON.stringify({ ...counts, faults: faults.length }))
for (const fault of faults.slice(0, 20)) console.error(fault)
if (faults.length > 0) process.exitCode = 1
