// Your own data: a tool sends the page a typed value.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Chat } from '@ai-sdk/react'
import { Agent, dataParts, tool } from '@capstan/core'
import { agentHandler, type UiDataParts, type UiMetadata } from '@capstan/http'
import { DefaultChatTransport, type UIMessage } from 'ai'
import * as z from 'zod'

// #region server
const parts = dataParts({
  weather: z.object({ city: z.string(), degrees: z.number().optional() }),
})

const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the weather of a city',
  parameters: z.object({ city: z.string() }),
  async execute({ city }, ctx) {
    await parts.send(ctx, 'weather', { city }, { id: city })
    // This part replaces the first one on the page: both have the same id.
    await parts.send(ctx, 'weather', { city, degrees: -2 }, { id: city })
    return { degrees: -2 }
  },
})
// #endregion

const handler = agentHandler(new Agent({ model: 'planner', tools: [getWeather] }), {
  authenticate: () => ({ id: 'ann' }),
})

// #region page
type Message = UIMessage<UiMetadata, UiDataParts<typeof parts>>

const chat = new Chat<Message>({
  transport: new DefaultChatTransport<Message>({
    api: 'https://example.com/ui',
    fetch: (url, init) => handler(new Request(url, init)),
  }),
})
await chat.sendMessage({ text: 'What is the weather in Oslo?' })
for (const part of chat.lastMessage?.parts ?? [])
  if (part.type === 'data-weather') console.log(`${part.data.city}: ${part.data.degrees} degrees`)
// #endregion
await handler.close()
