// A media pipeline without an agent: a text becomes a picture, a region of it is edited, its description is spoken and
// transcribed back. Each step takes the result of the one before. The files are in the folder `output`.
import '../local-service.js'
import { lineage, saveArtifact } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { editImage, generateImage, speak, transcribeAudio } from '@capstan/media'

const artifacts = folderArtifacts('output')

const drawn = await generateImage({ artifacts }).call({
  prompt: 'a white house on a hill',
  size: '512x512',
})
const picture = only(drawn.images)

const changed = await editImage({ artifacts }).call({
  image: picture,
  region: { boxes: [{ x: 0.6, y: 0, width: 0.4, height: 0.3 }] },
  prompt: 'a red balloon',
})
const edited = only(changed.images)

// The sources of an image: the picture, the mask of the region, and the image itself. A mask has no prompt.
const sources = await lineage(artifacts, edited.id)
const prompts = sources.flatMap(({ origin }) => origin?.prompt ?? [])
const description = `The picture shows ${prompts.join(' and ')}.`

const { audio } = await speak({ artifacts }).call({ input: description })
const { text } = await transcribeAudio({ artifacts }).call({ file: audio })
console.log('spoken:', description)
console.log('heard: ', text)

// Files have the ids of their artifacts as names; copies have any name.
await saveArtifact(artifacts, edited.id, 'output/balloon.png')
for (const artifact of [picture, edited, audio]) {
  const { mediaType, width, height, durationMs = 0 } = artifact
  const size = width ? `${width}x${height}` : `${Math.round(durationMs / 1000)} seconds`
  console.log(artifacts.pathOf(artifact), mediaType, size)
}

/** The image of a call that asked for one. */
function only<T>(images: readonly T[]): T {
  const [image] = images
  if (image === undefined) throw new Error('There is no image.')
  return image
}
