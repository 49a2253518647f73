// A forecaster with memory, tools with a context and a typed answer, with langchain 1.5.14. Run by hand: it is not
// installed here.
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, HumanMessage, providerStrategy, type ToolRuntime, tool } from 'langchain'
import * as z from 'zod'

// The URL and the key come from the environment.
const model = new ChatOpenAI({ model: 'planner' })

const contextSchema = z.object({ userId: z.string() })
const cities: Readonly<Record<string, string>> = { ann: 'Oslo', bob: 'Rome' }

const getLocation = tool(
  (_arguments, { context }: ToolRuntime<unknown, typeof contextSchema>) => ({
    city: cities[context.userId] ?? 'unknown',
  }),
  { name: 'get_user_location', description: 'Looks up where the user is', schema: z.object({}) },
)

const getWeather = tool(({ city }) => ({ city, degrees: city === 'Oslo' ? -2 : 17 }), {
  name: 'get_weather',
  description: 'Current weather in a city',
  schema: z.object({ city: z.string().describe('Name of the city') }),
})

const agent = createAgent({
  model,
  systemPrompt: 'You tell the weather where the user is.',
  tools: [getLocation, getWeather],
  contextSchema,
  responseFormat: providerStrategy(z.object({ city: z.string(), degrees: z.number() })),
  checkpointer: new MemorySaver(),
})

export async function forecast(log: (line: string) => void): Promise<void> {
  const ask = (userId: string, text: string) =>
    agent.invoke(
      { messages: [{ role: 'user', content: text }] },
      { configurable: { thread_id: userId }, context: { userId } },
    )
  for (const userId of ['ann', 'bob']) {
    const { structuredResponse } = await ask(userId, 'Get the user location. Then get its weather.')
    log(`${userId}: ${structuredResponse.city} ${structuredResponse.degrees}`)
  }
  // Ann's conversation continues: the model gets the earlier messages.
  const { structuredResponse, messages } = await ask('ann', 'And in Lima?')
  log(`ann: ${structuredResponse.city} ${structuredResponse.degrees}`)
  log(`questions of ann: ${messages.filter((message) => HumanMessage.isInstance(message)).length}`)
}
