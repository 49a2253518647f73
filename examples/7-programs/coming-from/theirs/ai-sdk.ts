// A chat route with tools, several steps and a typed title, with the AI SDK 7.
import '../../../local-service.js'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import * as z from 'zod'

const model = createOpenAICompatible({
  name: 'local',
  baseURL: process.env.OPENAI_BASE_URL ?? '',
  apiKey: process.env.OPENAI_API_KEY ?? '',
  supportsStructuredOutputs: true,
})('planner')

const tools = {
  get_weather: tool({
    description: 'Current weather in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, fahrenheit: 28 }),
  }),
  to_celsius: tool({
    description: 'Converts fahrenheit to celsius',
    inputSchema: z.object({ fahrenheit: z.number() }),
    execute: async ({ fahrenheit }) => ({ celsius: Math.round(((fahrenheit - 32) * 5) / 9) }),
  }),
}

/** A database would keep these. */
const saved = new Map<string, UIMessage[]>()

export async function POST(request: Request): Promise<Response> {
  const { id, messages }: { id: string; messages: UIMessage[] } = await request.json()
  const result = streamText({
    model,
    instructions: 'You tell the weather.',
    messages: await convertToModelMessages(messages),
    stopWhen: isStepCount(5),
    tools,
  })
  return createUIMessageStreamResponse({
    stream: toUIMessageStream({
      stream: result.stream,
      originalMessages: messages,
      onEnd: ({ messages }) => void saved.set(id, messages),
    }),
  })
}

export async function title(): Promise<string> {
  const [messages = []] = saved.values()
  const { output } = await generateText({
    model,
    output: Output.object({ schema: z.object({ city: z.string(), subject: z.string() }) }),
    messages: [
      ...(await convertToModelMessages(messages)),
      { role: 'user', content: 'Give the final answer: city "Oslo", subject "weather".' },
    ],
  })
  return `${output.city}: ${output.subject}`
}
