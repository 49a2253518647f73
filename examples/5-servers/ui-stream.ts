// A chat of the AI SDK in front of an agent: what `useChat` does on a page, here without the page.
import { Chat } from '@ai-sdk/react'
import { Agent, chatModel, memorySessions, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { startService } from '@capstan/service'
import { DefaultChatTransport, isToolUIPart } from 'ai'
import * as z from 'zod'
import { getWeather } from '../1-start/illustrator/tools.js'

const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  parameters: z.object({ booking: z.string().describe('Number of the booking') }),
  needsApproval: true,
  execute: ({ booking }) => ({ booking, cancelled: true }),
})

async function main(): Promise<void> {
  const service = await startService()
  const agent = new Agent({ model: chatModel('planner', service), tools: [getWeather, cancelBooking] })
  // #region server
  const handler = agentHandler(agent, {
    basePath: '/api/agent',
    authenticate: (request) => (request.headers.get('cookie') === 'user=ann' ? { id: 'ann' } : undefined),
    // The page sends all that it shows; what counts is what is kept here.
    sessions: memorySessions(),
  })
  // #endregion

  // #region page
  const transport = new DefaultChatTransport({
    api: 'https://example.com/api/agent/ui',
    // A page needs neither of these: its cookie goes along by itself.
    headers: { cookie: 'user=ann' },
    fetch: (url, init) => handler(new Request(url, init)),
  })
  const chat = new Chat({ transport })
  await chat.sendMessage({ text: 'What is the weather in Oslo? Then cancel booking B-17.' })
  for (const part of chat.lastMessage?.parts ?? [])
    if (isToolUIPart(part) && part.state === 'approval-requested') {
      console.log(part.type, part.input, 'waits for a yes')
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
    }
  await chat.sendMessage()
  // #endregion

  for (const part of chat.lastMessage?.parts ?? [])
    if (isToolUIPart(part)) console.log(part.type, part.state, part.output)
    else if (part.type === 'text') console.log(part.text)
  handler.close()
  await service.close()
}

main()
