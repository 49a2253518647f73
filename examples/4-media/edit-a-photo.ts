// An edit of an attached image: the photo becomes an artifact, tools pass its id, and the conversation has no bytes.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { generateImage, mediaTools } from '@capstan/media'

const artifacts = folderArtifacts('output')
const agent = new Agent({ model: 'planner', tools: mediaTools(), artifacts })

// A photo to start with, from a direct call to a tool.
const { images } = await generateImage().call(
  { prompt: 'a house in a green meadow on a sunny day', size: '512x512' },
  { artifacts },
)
const result = await agent.run('Edit the attached picture: add a red balloon.', { attachments: images })

console.log(result.text)
for (const { id, mediaType, width, height } of result.artifacts)
  console.log(id, mediaType, `${width}x${height}`)
console.log('base64 in the conversation:', /[A-Za-z0-9+/]{1000}/.test(JSON.stringify(result.messages)))
