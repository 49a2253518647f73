import { encode } from 'fast-png'

/** One kind of client: the number of them, and their repeated request. */
export interface FloodClient {
  readonly name: string
  readonly count: number
  readonly path: string
  readonly body: () => string | FormData
}

const png = new Blob([
  new Uint8Array(encode({ width: 64, height: 64, channels: 4, data: new Uint8Array(64 * 64 * 4).fill(200) })),
])
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tools = [
  { type: 'function', function: { name: 'get_weather', description: 'The weather.', parameters } },
]
const chat = {
  model: 'planner',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools,
}

/** Two hundred clients over all endpoints; `sound` is the audio to transcribe. */
export function floodClients(sound: Blob): FloodClient[] {
  const json = (fields: object) => () => JSON.stringify(fields)
  const form = (fields: Record<string, string | Blob>) => () => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    return body
  }
  const [painter, size] = ['dall-e-2', '64x64']
  const spoken = { model: 'gpt-4o-mini-tts', voice: 'slt', input: speech, response_format: 'wav' }
  const heard = { model: 'whisper-1', file: sound }
  return [
    { name: 'chat', count: 70, path: '/chat/completions', body: json(chat) },
    { name: 'chat stream', count: 40, path: '/chat/completions', body: json({ ...chat, stream: true }) },
    {
      name: 'generations',
      count: 20,
      path: '/images/generations',
      body: json({ model: painter, prompt: 'a cat', size }),
    },
    {
      name: 'edits',
      count: 15,
      path: '/images/edits',
      body: form({ model: painter, image: png, prompt: 'a boat', size }),
    },
    {
      name: 'variations',
      count: 15,
      path: '/images/variations',
      body: form({ model: painter, image: png, size }),
    },
    { name: 'speech', count: 20, path: '/audio/speech', body: json(spoken) },
    { name: 'transcriptions', count: 10, path: '/audio/transcriptions', body: form(heard) },
    { name: 'translations', count: 10, path: '/audio/translations', body: form(heard) },
  ]
}

/** The sentence to speak and to transcribe. */
export const speech = 'The old man opened the window.'
