// A clerk for photos: the model gets an attached photo, and sees what a tool makes of it. Ported from the AI SDK.
import '../local-service.js'
import { Agent, showImages } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { editImage, generateImage } from '@capstan/media'

const artifacts = folderArtifacts('album')
const agent = new Agent({
  model: 'planner',
  // The model gives the id of the photo to the tool, and sees the new picture.
  tools: [editImage({ show: true })],
  middleware: [showImages()],
  limits: { steps: 4 },
  artifacts,
})

// A photo to begin with. A file of yours is attached as { path: 'photo.jpg' }.
const { images } = await generateImage({
  prompt: 'a house in a meadow',
  outputFormat: 'jpeg',
  size: '320x240',
})
const data = (await images[0]?.read()) ?? new Uint8Array()

const first = await agent.run('Edit the attached photo: add a red balloon.', { attachments: [{ data }] })
console.log(first.text)
console.log('tokens:', first.usage.totalTokens > 0)

const question = { role: 'user', content: 'Thanks. What else can you do?' } as const
const second = await agent.run([...first.messages, question])
console.log(second.stopReason, second.stepCount)

for (const file of await artifacts.list())
  console.log(artifacts.pathOf(file), file.mediaType, file.parents ?? [])
console.log('base64 in the history:', JSON.stringify(second.messages).length > 10_000)
