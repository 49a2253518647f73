// The media tools without an agent: typed functions that can use each other's results.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { editImage, generateImage } from '@capstan/media'

const { images } = await generateImage({ prompt: 'a cat', size: '512x512' })
for (const image of images) {
  const edited = await editImage({ image, prompt: 'add a red balloon' })
  for (const { id, read } of edited.images) {
    const bytes = await read()
    console.log(image.id, 'became', id, 'that begins', new TextDecoder().decode(bytes.subarray(1, 4)))
  }
}
