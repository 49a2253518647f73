// The media tools without an agent: plain typed functions, where one takes the result of another.
import '../local-service.js'
import { memoryArtifacts } from '@capstan/core'
import { editImage, generateImage } from '@capstan/media'

const options = { artifacts: memoryArtifacts() }
const { images } = await generateImage(options).call({ prompt: 'a cat', size: '512x512' })
for (const { id } of images) {
  const edited = await editImage(options).call({ image: id, prompt: 'add a red balloon' })
  console.log(id, 'became', edited.images.map((image) => image.id).join(', '))
}
