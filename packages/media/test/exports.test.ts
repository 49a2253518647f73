import { expect, test } from 'vitest'
import * as media from '../src/index.js'

test('what the package exports', () => {
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

test('the model is offered the field names of the interface, and no choice of a model', () => {
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

test('every parameter is described to the model, in a plain type but for a region', () => {
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
