import { expect, test } from 'vitest'
import * as media from '../src/index.js'

test('exports of the package', () => {
  expect(Object.keys(media).sort()).toMatchInlineSnapshot(`
    [
      "dialects",
      "editImage",
      "fitPicture",
      "generateImage",
      "mediaTools",
      "speak",
      "transcribeAudio",
      "translateAudio",
      "varyImage",
    ]
  `)
})

test('offers the documented fields to the model, and no choice of a model', () => {
  const shown = media.mediaTools().map(({ definition }) => {
    const { properties, required } = definition.function.parameters as {
      properties: object
      required: string[]
    }
    return [definition.function.name, Object.keys(properties), required]
  })
  expect(shown).toEqual([
    ['generate_image', ['prompt', 'size', 'n'], ['prompt']],
    ['edit_image', ['image', 'mask', 'prompt', 'size', 'region'], ['image', 'prompt']],
    ['vary_image', ['image', 'n', 'size'], ['image']],
    ['transcribe_audio', ['file'], ['file']],
    ['translate_audio', ['file'], ['file']],
    ['speak', ['input', 'voice', 'format'], ['input']],
  ])
})

test('describes every parameter to the model, in a plain type except for a region', () => {
  const types: Record<string, string> = { n: 'integer', region: 'object' }
  for (const { definition } of media.mediaTools()) {
    const { properties } = definition.function.parameters as {
      properties: Record<string, Record<string, unknown>>
    }
    for (const [name, { type, description }] of Object.entries(properties)) {
      expect([name, type]).toEqual([name, types[name] ?? 'string'])
      expect(description, name).toEqual(expect.any(String))
    }
  }
})
