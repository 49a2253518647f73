// The page in front of a chat route: it is the same for a route with the AI SDK and for one with Capstan.
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, isToolUIPart } from 'ai'

/** Asks a route as `useChat` does, and logs what the page shows. */
export async function chatPage(
  route: (request: Request) => Response | Promise<Response>,
  log: (line: string) => void,
): Promise<void> {
  const transport = new DefaultChatTransport({
    api: 'https://example.com/api/chat/ui',
    fetch: async (url, init) => route(new Request(url, init)),
  })
  const chat = new Chat({ transport })
  await chat.sendMessage({ text: 'What is the weather in Oslo? Then convert 28 fahrenheit to celsius.' })
  for (const part of chat.lastMessage?.parts ?? [])
    if (isToolUIPart(part)) log(`${part.type} ${part.state} ${JSON.stringify(part.output)}`)
    else if (part.type === 'text') log(part.text)
}
