// Writes the vocabulary and the images of docs/local-service/painting.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { editPicture } from '../src/edit-picture.js'
import { paintPrompt } from '../src/paint-prompt.js'
import type { Picture } from '../src/picture.js'
import { writePicture } from '../src/picture-files.js'
import { toVocabulary } from './painting-vocabulary.js'

const page = new URL('../../../docs/local-service/painting.md', import.meta.url)
const between = /(<!-- vocabulary -->\n)[\s\S]*?(\n<!-- end of vocabulary -->)/

/** Returns the page with the current vocabulary. */
export function withVocabulary(text: string): string {
  return text.replace(between, (_, start: string, end: string) => start + toVocabulary() + end)
}

export const painted: Readonly<Record<string, string>> = {
  'cat-on-house': 'a cat on a house and three red balloons',
  kitchen: 'a cat under a table in a kitchen, a vase on the table',
  'sailboat-watercolour': 'a watercolour of a red sailboat at sunset',
  'castle-pixels': 'pixel art of a castle at night',
  animals: 'a lion, a zebra and a giraffe in the savanna',
  doctor: 'a doctor and a nurse in front of a hospital',
  desk: 'a laptop, a phone and a cup of coffee on a desk in an office',
  sign: 'an owl on a sign that says "Grüß Gott!" in the snow',
}

async function main(): Promise<void> {
  for (const [name, prompt] of Object.entries(painted)) {
    await save(name, paintPrompt({ prompt, width: 240, height: 180 }).picture)
  }
  const { picture } = paintPrompt({ prompt: 'a beach with palms, a dog', width: 240, height: 180 })
  await save('edit-night', editPicture({ picture, prompt: 'make it night, add a hot air balloon' }).picture)
  writeFileSync(page, withVocabulary(readFileSync(page, 'utf8')))
}

/** Without its scene, which only edits read: the page shows nine pictures at once. */
async function save(name: string, { scene: _, ...picture }: Picture): Promise<void> {
  const file = new URL(`../../../docs/pictures/${name}.webp`, import.meta.url)
  writeFileSync(file, await writePicture(picture, { kind: 'webp', quality: 20 }))
}

if (process.argv[1]?.endsWith('write-painting-page.ts')) main()
