// Vision: requests show attached images to a model that can see. State and session contain only references.
import '../local-service.js'
import { Agent, type ChatModel, chatModel } from '@capstan/core'
import { generateImage } from '@capstan/media'

const {
  images: [photo],
} = await generateImage({ prompt: 'a house in a green meadow', size: '256x256' })
if (!photo) throw new Error('There is no photo.')

// Stands for a model that can see, such as chatModel('gpt-5', { vision: true }): it reports what its request contains.
const eyes: ChatModel = {
  name: 'eyes',
  vision: true,
  async complete({ messages }) {
    const parts = [messages.at(-1)?.content ?? ''].flat()
    const kinds = parts.map((part) => (typeof part === 'string' ? 'text' : part.type))
    return { message: { role: 'assistant', content: `I was shown: ${kinds.join(', ')}.` } }
  },
}

const attachments = [{ data: await photo.read() }]
const agent = new Agent({ model: eyes })
const seen = await agent.run('What is in the picture?', { attachments })
console.log(seen.text)
console.log('base64 in the state:', /[A-Za-z0-9+/]{1000}/.test(JSON.stringify(seen.state)))

// A model that cannot see gets the reference.
const told = await agent.run('What is in the picture?', { attachments, model: { ...eyes, vision: false } })
console.log(told.text)
console.log('vision of a model by its name:', chatModel('planner').vision ?? false)

for (const { mediaType, size } of await agent.artifacts.list())
  console.log(mediaType, size === (await photo.read()).length)
