import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageFile } from './patch-recognizer.js'
import { acousticModel, createRecognizer, readModelFile } from './recognizer.js'

const parameters = { ...acousticModel, '-dict': '/words.dict', '-jsgf': '/words.gram' }
const files: Readonly<Record<string, string>> = {
  '/words.dict': 'go G OW\nforward F AO R W ER D\nback B AE K\nten T EH N\nmeters M IY T ER Z\n',
  '/words.gram': '#JSGF V1.0;\ngrammar g;\npublic <g> = go (forward | back) ten meters;\n',
}
const readFile = (name: string) => (files[name] ? Buffer.from(files[name]) : readModelFile(name))
const spoken = readSamples('pocketsphinx/test/data/goforward.raw')

function readSamples(path: string): Int16Array {
  const { buffer, byteOffset, length } = readFileSync(packageFile(path))
  return new Int16Array(buffer.slice(byteOffset, byteOffset + length))
}

test('recognises words of a grammar with place, score and confidence', async () => {
  const { recognize } = await createRecognizer({ parameters, readFile })
  const words = recognize(spoken).filter(({ word }) => /^[a-z]/.test(word))
  expect(words.map(({ word }) => word)).toEqual(['go', 'forward', 'ten', 'meters'])
  for (const { from, to, fit, confidence } of words) {
    expect(from).toBeLessThan(to)
    expect(fit).toBeLessThan(0)
    expect(confidence).toBeGreaterThan(0)
    expect(confidence).toBeLessThanOrEqual(1)
  }
})

test('gives the same result after noise and after silence', async () => {
  const { recognize } = await createRecognizer({ parameters, readFile })
  const before = recognize(spoken)
  const noise = Int16Array.from({ length: 48_000 }, (_, index) => ((index * 7919) % 65_536) - 32_768)
  recognize(noise)
  expect(recognize(new Int16Array())).toEqual([])
  recognize(new Int16Array(16_000))
  expect(recognize(spoken)).toEqual(before)
})

test("reports a missing model at once with the recogniser's message", async () => {
  await expect(createRecognizer({ parameters, readFile: () => undefined })).rejects.toThrow(/mdef|model/i)
})
