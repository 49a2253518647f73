// An edit of a region of an image file. The file is stored as an artifact first; the result names its parents.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryArtifacts } from '@capstan/core'
import { editImage, generateImage } from '@capstan/media'

const artifacts = memoryArtifacts()
const folder = await mkdtemp(join(tmpdir(), 'photos-'))
const path = join(folder, 'house.png')

// A file to start with.
const prompt = 'a house in a meadow'
const { images } = await generateImage({ artifacts }).call({ prompt, size: '256x256' })
for (const { id } of images) await writeFile(path, new Response(await artifacts.open(id)).body ?? '')

const edited = await editImage({ artifacts }).call({
  image: { path },
  region: { boxes: [{ x: 0.5, y: 0, width: 0.5, height: 0.5 }] },
  prompt: 'a red balloon',
})
for (const { id, parents = [] } of edited.images) {
  console.log(id, 'was made from', parents.join(' and '))
  const mask = await artifacts.stat(parents[1] ?? '')
  console.log('the mask was', mask?.id, `${mask?.width}x${mask?.height}`)
}
await rm(folder, { recursive: true })
