// A chat of the AI SDK in front of an agent: the work of `useChat`, here without a page.
import '../local-service.js'
import { Chat } from '@ai-sdk/react'
import { Agent, memorySessions } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { DefaultChatTransport, isToolUIPart } from 'ai'
import { getWeather } from '../1-start/illustrator/tools.js'
import { cancelBooking } from '../tools.js'

const agent = new Agent({ model: 'planner', tools: [getWeather, cancelBooking] })
// #region server
const handler = agentHandler(agent, {
  basePath: '/api/agent',
  authenticate: (request) => (request.headers.get('cookie') === 'user=ann' ? { id: 'ann' } : undefined),
  // The page sends all that it shows; the handler uses the messages of this store.
  sessions: memorySessions(),
})
// #endregion

// #region page
const transport = new DefaultChatTransport({
  api: 'https://example.com/api/agent/ui',
  // A page needs neither of these: the browser sends its cookie.
  headers: { cookie: 'user=ann' },
  fetch: (url, init) => handler(new Request(url, init)),
})
const chat = new Chat({ transport })
await chat.sendMessage({ text: 'What is the weather in Oslo? Then cancel booking B-17.' })
for (const part of chat.lastMessage?.parts ?? [])
  if (isToolUIPart(part) && part.state === 'approval-requested') {
    console.log(part.type, part.input, 'waits for approval')
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
  }
await chat.sendMessage()
// #endregion

for (const part of chat.lastMessage?.parts ?? [])
  if (isToolUIPart(part)) console.log(part.type, part.state, part.output)
  else if (part.type === 'text') console.log(part.text)

// #region second-device
const get = async (path: string) =>
  (
    await handler(new Request(`https://example.com/api/agent/ui${path}`, { headers: { cookie: 'user=ann' } }))
  ).json()

const { chats } = await get('?limit=20')
const { id, messages, runId } = await get(`/${chats[0].id}`)
const again = new Chat({ id, messages, transport })
// A reply is in progress: read it from its start.
if (runId !== undefined) await again.resumeStream()
console.log(again.messages.map(({ role, parts }) => `${role}: ${parts.map(({ type }) => type).join(', ')}`))
// #endregion
await handler.close()
