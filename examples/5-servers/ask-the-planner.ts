// The planner of the local service: several calls in one reply, units, a follow-up, and text that requests nothing.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import OpenAI from 'openai'

const tools = [
  tool('get_forecast', 'Weather forecast for a city', {
    city: { type: 'string' },
    days: { type: 'integer' },
  }),
  tool('convert_length', 'Convert a length to another unit', {
    value: { type: 'number' },
    from_unit: { type: 'string', enum: ['km', 'mi', 'ft'] },
    to_unit: { type: 'string', enum: ['km', 'mi', 'ft'] },
  }),
]

const client = new OpenAI()
const messages: OpenAI.ChatCompletionMessageParam[] = []

for (const content of [
  'Forecast for Oslo and Rome for 3 days, and 5 miles in km',
  'And in Lima?',
  'Thanks!',
]) {
  messages.push({ role: 'user', content })
  console.log(`> ${content}`)
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: 'planner', messages, tools })
    const [{ message } = { message: undefined }] = choices
    if (!message?.tool_calls) {
      console.log(message?.content)
      break
    }
    messages.push(message)
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue
      console.log(call.function.name, call.function.arguments)
      messages.push({ role: 'tool', tool_call_id: call.id, content: '"done"' })
    }
  }
}

function tool(name: string, description: string, properties: Record<string, object>) {
  const required = Object.keys(properties).filter((key) => key !== 'days')
  const parameters = { type: 'object', properties, required }
  return { type: 'function' as const, function: { name, description, parameters } }
}
