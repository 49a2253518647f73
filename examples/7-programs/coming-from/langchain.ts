// The forecaster with Capstan.
import '../../local-service.js'
import { Agent, chatModel, memorySessions, tool } from '@capstan/core'
import * as z from 'zod'

interface SignedIn {
  readonly userId: string
}

const cities: Readonly<Record<string, string>> = { ann: 'Oslo', bob: 'Rome' }

const getLocation = tool({
  name: 'get_user_location',
  description: 'Looks up where the user is',
  parameters: z.object({}),
  effects: 'read',
  execute: (_arguments, { context }: { context: SignedIn }) => ({
    city: cities[context.userId] ?? 'unknown',
  }),
})

const getWeather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, degrees: city === 'Oslo' ? -2 : 17 }),
})

const agent = new Agent({
  name: 'forecaster',
  model: chatModel('planner', { dialect: 'openai' }),
  instructions: 'You tell the weather where the user is.',
  tools: [getLocation, getWeather],
  output: z.object({ city: z.string(), degrees: z.number() }),
})

const store = memorySessions()

export async function forecast(log: (line: string) => void): Promise<void> {
  for (const userId of ['ann', 'bob']) {
    const options = { session: { store, id: userId }, context: { userId } }
    const first = await agent.run('Get the user location. Then get its weather.', options)
    log(`${userId}: ${first.output?.city} ${first.output?.degrees}`)
  }
  // Ann's conversation continues: the model gets the earlier messages.
  const options = { session: { store, id: 'ann' }, context: { userId: 'ann' } }
  const { output } = (await agent.run('And in Lima?', options)).orThrow()
  log(`ann: ${output.city} ${output.degrees}`)
  const { messages } = await store.load('ann')
  log(`questions of ann: ${messages.filter(({ role }) => role === 'user').length}`)
}
