// A streamed chat with tools, with the openai package: the loop is written by hand.
import '../../../local-service.js'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources'

// The URL and the key come from the environment.
const client = new OpenAI()

const functionTool = (name: string, description: string, parameter: string, type: string) =>
  ({
    type: 'function',
    function: {
      name,
      description,
      parameters: { type: 'object', properties: { [parameter]: { type } }, required: [parameter] },
    },
  }) satisfies ChatCompletionTool
const tools = [
  functionTool('get_weather', 'Current weather in a city', 'city', 'string'),
  functionTool('to_celsius', 'Converts degrees', 'fahrenheit', 'number'),
]
const functions: Readonly<Record<string, (given: { city: string; fahrenheit: number }) => unknown>> = {
  get_weather: ({ city }) => ({ city, fahrenheit: 28 }),
  to_celsius: ({ fahrenheit }) => ({ celsius: Math.round(((fahrenheit - 32) * 5) / 9) }),
}

/** Streams one reply: its text as it comes, its calls put together from their fragments. */
async function streamReply(messages: ChatCompletionMessageParam[], write: (text: string) => void) {
  const stream = await client.chat.completions.create({ model: 'planner', messages, tools, stream: true })
  let content = ''
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  for await (const { choices } of stream) {
    const { content: text, tool_calls: fragments = [] } = choices[0]?.delta ?? {}
    if (text) write(text)
    content += text ?? ''
    for (const { index, id, function: part } of fragments) {
      calls[index] ??= { id: id ?? '', type: 'function', function: { name: '', arguments: '' } }
      const { function: called } = calls[index]
      called.name += part?.name ?? ''
      called.arguments += part?.arguments ?? ''
    }
  }
  return { role: 'assistant' as const, content, ...(calls.length > 0 && { tool_calls: calls }) }
}

export async function travel(log: (line: string) => void): Promise<void> {
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: 'You help travellers.' }]
  for (const question of ['What is the weather in Oslo?', 'Convert 28 fahrenheit to celsius.']) {
    messages.push({ role: 'user', content: question })
    let text = ''
    for (let step = 0; step < 5; step++) {
      const reply = await streamReply(messages, (part) => {
        text += part
      })
      messages.push(reply)
      if (!reply.tool_calls) break
      for (const { id, function: called } of reply.tool_calls) {
        const content = JSON.stringify(
          functions[called.name]?.(JSON.parse(called.arguments)) ?? 'no such tool',
        )
        log(`${called.name} ${content}`)
        messages.push({ role: 'tool', tool_call_id: id, content })
      }
    }
    log(text)
  }
}
