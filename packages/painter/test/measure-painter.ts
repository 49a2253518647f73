// Prints the CPU seconds of images of 1024x1024: scenes, edits, variations, files, and all everyday prompts.
import { editPicture } from '../src/edit-picture.js'
import { paintPrompt } from '../src/paint-prompt.js'
import { writePicture } from '../src/picture-files.js'
import { varyPicture } from '../src/vary-picture.js'
import { everydayNouns, everydayPrompts } from './everyday.js'

const size = { width: 1024, height: 1024 }

const prompts = [
  'a cat on a house',
  'a city at night in the rain',
  'ten fish under water',
  'mountains in fog',
  'winter, snow',
  'sailboats at sea in a storm',
  'twelve trees in the forest, heavy rain',
  'qwerty',
  ...['a watercolour', 'an oil painting', 'pixel art', 'a line drawing', 'a cartoon', 'a mosaic', 'neon'].map(
    (style) => `${style} of a house`,
  ),
]

async function measure(name: string, work: () => unknown): Promise<void> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  console.log(`${((user + system) / 1e6).toFixed(2)} s  ${name}`)
}

/** The median and the worst of the everyday nouns and prompts. */
function measureEveryday(): void {
  const nouns = Object.values(everydayNouns).flatMap((names) => names.split(', '))
  for (const [name, asked] of [
    ['nouns', nouns.map((noun) => `a ${noun}`)],
    ['prompts', everydayPrompts],
  ] as const) {
    const times = asked.map((prompt) => {
      const start = process.cpuUsage()
      paintPrompt({ prompt, ...size })
      const { user, system } = process.cpuUsage(start)
      return { prompt, seconds: (user + system) / 1e6 }
    })
    const sorted = times.toSorted((a, b) => a.seconds - b.seconds)
    const [median, worst] = [sorted[sorted.length >> 1], sorted.at(-1)]
    console.log(
      `${median?.seconds.toFixed(2)} s  the median of ${asked.length} everyday ${name}, at most ` +
        `${worst?.seconds.toFixed(2)} s (${worst?.prompt})`,
    )
  }
}

async function main(): Promise<void> {
  // The first run is slower.
  paintPrompt({ prompt: 'a house and a tree', ...size })
  for (const prompt of prompts) await measure(prompt, () => paintPrompt({ prompt, ...size }))
  const { picture } = paintPrompt({ prompt: 'a house', ...size })
  await measure('an edit: add a red balloon', () => editPicture({ picture, prompt: 'add a red balloon' }))
  await measure('a variation', () => varyPicture({ picture, index: 1 }))
  for (const kind of ['png', 'jpeg', 'webp'] as const) {
    await writePicture(picture, { kind })
    await measure(`written as ${kind}`, () => writePicture(picture, { kind }))
  }
  measureEveryday()
}

main()
