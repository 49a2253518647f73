import { askServer, excerpt, type ServerReply } from '../ask-server.js'
import { type CheckedServer, demand, skip } from '../server-check.js'
import { callsOf, type ReadCall, type ReadMessage, readChoice } from '../server-reading.js'
import { getWeather } from '../tool-shapes.js'

export const question = { role: 'user', content: 'What is the weather in Oslo?' }
export const greeting = { role: 'user', content: 'Say hello.' }

export const tools = [
  {
    type: 'function',
    function: { ...getWeather, description: 'Current weather in a city' },
  },
]
export const forced = { type: 'function', function: { name: getWeather.name } }

/** Asks for the weather, with further fields, and with the tool to be chosen freely unless they say otherwise. */
export function askWeather(
  server: CheckedServer,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<ServerReply> {
  return askServer(server, { messages: [question], tools, tool_choice: 'auto', ...fields })
}

/** A model may always answer in words; that is no fault of its server. */
export function callsOrSkip(message: ReadMessage): readonly ReadCall[] {
  const calls = callsOf(message)
  return calls.length > 0 ? calls : skip('the model answered in words')
}

/** Demands a whole call of get_weather. */
export function demandWeatherCall(call: ReadCall | undefined): void {
  const { id, type, function: called } = call ?? {}
  demand(typeof id === 'string' && id !== '', `the id is ${JSON.stringify(id)}`)
  demand(type === 'function', `the type is ${JSON.stringify(type)}`)
  demand(called?.name === getWeather.name, `the name is ${JSON.stringify(called?.name)}`)
  demandArguments(called.arguments)
}

/** Demands the text of a JSON object with a city in it. */
export function demandArguments(args: unknown): void {
  const seen = `the arguments are ${JSON.stringify(args)?.slice(0, 120)}`
  demand(typeof args === 'string', seen)
  try {
    demand(typeof JSON.parse(args).city === 'string', seen)
  } catch {
    demand(false, seen)
  }
}

/** The conversation up to the result of a call, which is forced so that there is one. */
export async function answeredConversation(server: CheckedServer): Promise<readonly object[]> {
  const reply = await askWeather(server, { tool_choice: forced })
  const { message } = readChoice(reply)
  const calls = callsOf(message)
  demand(calls.length > 0, `no call to answer: ${excerpt(reply)}`)
  const results = calls.map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: '{"city":"Oslo","sky":"clear","celsius":21}',
  }))
  return [question, { role: 'assistant', content: message.content ?? '', tool_calls: calls }, ...results]
}
