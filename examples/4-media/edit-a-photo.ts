// An attached picture, edited: the photo becomes an artifact, the tools pass its id, no byte enters the conversation.
import { Agent, chatModel } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { generateImage, mediaTools } from '@capstan/media'
import { startService } from '@capstan/service'

async function main(): Promise<void> {
  const service = await startService()
  const artifacts = folderArtifacts('output')

  // A photo to begin with, taken by calling a tool as the plain function it is.
  const { images } = await generateImage({ client: service }).call(
    { prompt: 'a house in a green meadow on a sunny day', size: '512x512' },
    { artifacts },
  )
  const [photo] = images
  if (!photo) throw new Error('no picture came')

  const tools = mediaTools({ client: service })
  const agent = new Agent({ model: chatModel('planner', service), tools, artifacts })
  const result = await agent.run('Edit the attached picture: add a red balloon.', { attachments: [photo] })

  console.log(result.text)
  for (const { id, mediaType, width, height } of result.artifacts)
    console.log(id, mediaType, `${width}x${height}`)
  console.log('base64 in the conversation:', /[A-Za-z0-9+/]{1000}/.test(JSON.stringify(result.messages)))
  await service.close()
}

main()
