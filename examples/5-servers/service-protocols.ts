// The local service with the official clients of the Responses and Messages protocols, and a tool.
import Anthropic from '@anthropic-ai/sdk'
import { startService } from '@capstan/service'
import OpenAI from 'openai'

const name = 'get_weather'
const description = 'The weather in a city.'
const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const question = 'What is the weather in Oslo?'

async function main(): Promise<void> {
  const service = await startService()

  // #region responses
  const openai = new OpenAI(service)
  const tools = [{ type: 'function' as const, name, description, parameters, strict: true }]
  const asked = await openai.responses.create({ model: 'gpt-4o', input: question, tools })
  const [call] = asked.output
  if (call?.type !== 'function_call') throw new Error('No call.')
  const output = { type: 'function_call_output' as const, call_id: call.call_id, output: '4 degrees' }
  const input = [{ role: 'user' as const, content: question }, call, output]
  const { output_text: text } = await openai.responses.create({ model: 'gpt-4o', input, tools })
  console.log(text)
  // #endregion

  // #region messages
  const { baseURL, apiKey } = service
  const anthropic = new Anthropic({ baseURL: new URL(baseURL).origin, apiKey })
  const message = await anthropic.messages
    .stream({
      model: 'claude-sonnet-5',
      max_tokens: 1000,
      messages: [{ role: 'user', content: question }],
      tools: [{ name, description, input_schema: parameters }],
    })
    .finalMessage()
  for (const block of message.content) if (block.type === 'tool_use') console.log(block.name, block.input)
  // #endregion

  console.log(service.requests.map(({ path, status }) => `${path} ${status}`).join(', '))
  await service.close()
}

main()
