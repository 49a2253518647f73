// An edit in a region given by numbers, of a picture that is a file: what a program gives is stored first, and what
// comes back says what it was made from.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryArtifacts } from '@capstan/core'
import { editImage, generateImage } from '@capstan/media'
import { startService } from '@capstan/service'

async function main(): Promise<void> {
  const service = await startService()
  const artifacts = memoryArtifacts()
  const options = { client: service, artifacts }

  // A file to begin with.
  const folder = await mkdtemp(join(tmpdir(), 'photos-'))
  const path = join(folder, 'house.png')
  const { images } = await generateImage(options).call({ prompt: 'a house in a meadow', size: '256x256' })
  for (const { id } of images) await writeFile(path, new Response(await artifacts.open(id)).body ?? '')

  const edited = await editImage(options).call({
    image: { path },
    region: { boxes: [{ x: 0.5, y: 0, width: 0.5, height: 0.5 }] },
    prompt: 'a red balloon',
  })
  for (const { id, parents = [] } of edited.images) console.log(id, 'was made from', parents.join(' and '))
  console.log('the mask was', edited.mask?.id, `${edited.mask?.width}x${edited.mask?.height}`)
  await rm(folder, { recursive: true })
  await service.close()
}

main()
