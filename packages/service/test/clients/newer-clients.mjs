// Completes every endpoint that these clients have. Runs where they are installed, with the address of a service.
import assert from 'node:assert/strict'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { tool as toLangchainTool } from '@langchain/core/tools'
import { ChatOpenAI, DallEAPIWrapper } from '@langchain/openai'
import { generateImage, generateText, isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'

const baseURL = process.env.OPENAI_BASE_URL
const apiKey = process.env.OPENAI_API_KEY
const question = 'What is the weather in Paris?'
const weather = {
  description: 'The weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: 21 degrees`,
}

async function aiSdk() {
  const provider = createOpenAICompatible({ name: 'capstan', baseURL, apiKey, includeUsage: true })
  const asked = {
    model: provider('planner'),
    prompt: question,
    tools: { get_weather: tool(weather) },
    stopWhen: isStepCount(4),
  }
  const { text, steps } = await generateText(asked)
  assert.match(text, /Paris: 21 degrees/)
  assert.equal(steps.flatMap(({ toolCalls }) => toolCalls).length, 1)

  const stream = streamText(asked)
  let streamed = ''
  for await (const piece of stream.textStream) streamed += piece
  assert.match(streamed, /Paris: 21 degrees/)

  const model = provider.imageModel('gpt-image-1')
  const { images } = await generateImage({ model, prompt: 'a red boat', size: '256x256', n: 2 })
  assert.deepEqual(
    images.map(({ mediaType }) => mediaType),
    ['image/png', 'image/png'],
  )
  const prompt = { text: 'add a balloon', images: [images[0].uint8Array] }
  const edited = await generateImage({ model, prompt, size: '256x256' })
  assert.equal(edited.image.mediaType, 'image/png')
  return 'chat, stream, tools, pictures, edits'
}

async function langchain() {
  const configuration = { baseURL }
  const model = new ChatOpenAI({ model: 'planner', apiKey, configuration })
  const { description, inputSchema: schema, execute } = weather
  const getWeather = toLangchainTool(execute, { name: 'get_weather', description, schema })
  const able = model.bindTools([getWeather])
  const messages = [{ role: 'user', content: question }]
  const call = await able.invoke(messages)
  assert.deepEqual(
    call.tool_calls.map(({ name, args }) => [name, args]),
    [['get_weather', { city: 'Paris' }]],
  )
  const result = await getWeather.invoke(call.tool_calls[0])
  const answer = await able.invoke([...messages, call, result])
  assert.match(answer.text, /Paris: 21 degrees/)

  let gathered
  for await (const chunk of await able.stream(messages)) gathered = gathered ? gathered.concat(chunk) : chunk
  assert.deepEqual(
    gathered.tool_calls.map(({ args }) => args),
    [{ city: 'Paris' }],
  )

  const painter = new DallEAPIWrapper({ model: 'dall-e-2', size: '256x256', apiKey, baseUrl: baseURL })
  const url = await painter.invoke('a red boat')
  assert.equal((await fetch(url)).headers.get('content-type'), 'image/png')
  return 'chat, stream, tools, pictures'
}

console.log(`ai: ${await aiSdk()}`)
console.log(`@langchain/openai: ${await langchain()}`)
