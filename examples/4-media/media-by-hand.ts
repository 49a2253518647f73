// The media tools without an agent: each is a plain typed function, and what one returns is what the next takes.
import { memoryArtifacts } from '@capstan/core'
import { editImage, generateImage } from '@capstan/media'
import { startService } from '@capstan/service'

async function main(): Promise<void> {
  const service = await startService()
  const options = { client: service, artifacts: memoryArtifacts() }
  const { images } = await generateImage(options).call({ prompt: 'a cat', size: '512x512' })
  for (const { id } of images) {
    const edited = await editImage(options).call({ image: id, prompt: 'add a red balloon' })
    console.log(id, 'became', edited.images.map((image) => image.id).join(', '))
  }
  await service.close()
}

main()
