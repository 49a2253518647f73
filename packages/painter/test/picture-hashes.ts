import { createHash } from 'node:crypto'
import { editPicture } from '../src/edit-picture.js'
import { paintPrompt } from '../src/paint-prompt.js'
import type { Picture } from '../src/picture.js'
import { readPicture, writePicture } from '../src/picture-files.js'
import { styles } from '../src/prompt/words.js'
import { varyPicture } from '../src/vary-picture.js'

const prompts = [
  'a red sailboat at sunset',
  'two cats on a house in a city at night, rain',
  'a dog between two trees in the forest, fog',
  'three fish under water',
  'mountains in a snowstorm',
  'a rocket in space',
  'a beach with a palm at dawn, storm, wind',
  'a desert with a cactus',
  'a vase on a table in a kitchen',
  'a sign that says "Grüß Gott"',
  'qwerty',
  'a lion and a doctor on a stone bridge',
  'a violin beside a bowl of oranges',
]

const edits = [
  'add a red balloon',
  'make it night and snowing',
  'turn it into a watercolour',
  'add the text "Hi"',
]

/**
 * Returns a short hash for each of many images and files, the same on every machine and engine. `every` of 3 takes
 * a third of the prompts, styles and edits.
 */
export async function pictureHashes(every = 1): Promise<Record<string, string>> {
  const some = <T>(all: readonly T[]) => all.filter((_, at) => at % every === 0)
  const hashes: Record<string, string> = {}
  const note = (name: string, { pixels }: Picture): void => {
    hashes[name] = toHash(pixels)
  }
  const size = { width: 160, height: 120 }
  for (const prompt of some(prompts)) note(prompt, paintPrompt({ prompt, ...size }).picture)
  for (const phrases of some(Object.values(styles))) {
    const prompt = `${phrases.split(', ')[0]} of a castle`
    note(prompt, paintPrompt({ prompt, ...size }).picture)
  }
  note('cut out', paintPrompt({ prompt: 'a cat on a dog', ...size, cutOut: true }).picture)
  const { picture } = paintPrompt({ prompt: 'a house and a tree', ...size })
  for (const prompt of some(edits)) note(prompt, editPicture({ picture, prompt }).picture)
  for (const prompt of ['a cat', 'remove it'])
    note(`${prompt}, masked`, editPicture({ picture, mask: hole(picture), prompt }).picture)
  for (const index of [0, 1]) note(`variation ${index}`, varyPicture({ picture, index }))
  for (const kind of ['png', 'jpeg', 'webp'] as const) {
    const file = await writePicture(picture, { kind })
    hashes[kind] = toHash(file)
    note(`${kind} read`, await readPicture(file, 'image'))
  }
  return hashes
}

/** A mask that marks the middle. */
function hole({ width, height }: Picture): Picture {
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [(i % width) / width - 0.5, Math.floor(i / width) / height - 0.5]
    if (x * x + y * y < 0.06) pixels[i * 4 + 3] = 0
  }
  return { width, height, pixels }
}

function toHash(bytes: Uint8Array | Uint8ClampedArray): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
