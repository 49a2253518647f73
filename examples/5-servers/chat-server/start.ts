// A complete chat server on Hono: conversations and runs in SQLite, an approval, and the same chat on a second device.
import '../../local-service.js'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, isToolUIPart } from 'ai'

const folder = await mkdtemp(join(tmpdir(), 'capstan-'))
Object.assign(process.env, { CHATS: join(folder, 'chats.db'), PORT: '0' })
const { server, stop } = await import('./server.js')
if (!server.listening) await once(server, 'listening')
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// #region page
const transport = new DefaultChatTransport({
  api: `${address}/api/agent/ui`,
  // A page omits this: the browser sends its cookie.
  headers: { cookie: 'user=ann' },
})
const phone = new Chat({ id: 'trip', transport })
await phone.sendMessage({ text: 'Cancel booking B-17.' })
console.log(
  'phone:',
  phone.lastMessage?.parts.filter(isToolUIPart).map(({ state }) => state),
)
// #endregion

// #region second-device
const stored = await fetch(`${address}/api/agent/ui/trip`, { headers: { cookie: 'user=ann' } })
const { id, messages } = await stored.json()
const laptop = new Chat({ id, messages, transport })
for (const part of laptop.lastMessage?.parts ?? [])
  if (isToolUIPart(part) && part.state === 'approval-requested')
    await laptop.addToolApprovalResponse({ id: part.approval.id, approved: true })
await laptop.sendMessage()
for (const part of laptop.lastMessage?.parts ?? [])
  if (part.type === 'text') console.log('laptop:', part.text)
// #endregion

await stop()
await rm(folder, { recursive: true })
