// A client of AG-UI in front of an agent: a tool of the page, and a call that needs approval.
import { HttpAgent } from '@ag-ui/client'
import { Agent, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const bookRoom = tool({
  name: 'book_room',
  description: 'Books a room in a city',
  parameters: z.object({ city: z.string() }),
  needsApproval: true,
  execute: ({ city }) => `A room in ${city} is booked.`,
})

async function main(): Promise<void> {
  const model = scriptedModel([
    reply.call('get_position'),
    reply.call('book_room', { city: 'Oslo' }),
    reply.text('You have a room in Oslo.'),
  ])
  const handler = agentHandler(new Agent({ model, tools: [bookRoom] }), { authenticate: false })

  // #region client
  const agent = new HttpAgent({
    url: 'http://localhost/ag-ui',
    fetch: (url, init) => handler(new Request(url, init)),
  })
  const tools = [{ name: 'get_position', description: 'Where the user is', parameters: { type: 'object' } }]
  agent.addMessage({ id: '1', role: 'user', content: 'A room where I am, please.' })
  await agent.runAgent({ tools })

  // The page runs its own tool.
  const last = agent.messages.at(-1)
  const [asked] = last?.role === 'assistant' ? (last.toolCalls ?? []) : []
  console.log('the page is asked:', asked?.function.name)
  agent.addMessage({ id: '2', role: 'tool', toolCallId: asked?.id ?? '', content: 'Oslo' })
  await agent.runAgent({ tools })

  // An approval ends the run as an interrupt; the next run contains the decision.
  const resume = agent.pendingInterrupts.map(({ id, message }) => {
    console.log('the user is asked:', message)
    return { interruptId: id, status: 'resolved' as const, payload: { approved: true } }
  })
  await agent.runAgent({ tools, resume })
  // #endregion

  for (const { role, content } of agent.messages) if (content) console.log(`${role}: ${content}`)
  await handler.close()
}

main()
