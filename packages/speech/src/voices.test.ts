import { expect, test } from 'vitest'
import { defaultVoice, parseVoice, voiceAliases, voices } from './voices.js'

test('finds every voice by its name', () => {
  for (const voice of voices) expect(parseVoice(voice.name)).toBe(voice)
})

test('every alias names a voice and hides none', () => {
  const names = voices.map(({ name }) => name)
  for (const [alias, name] of Object.entries(voiceAliases)) {
    expect(parseVoice(alias).name).toBe(name)
    expect(names).not.toContain(alias)
  }
})

test('the default voice exists', () => {
  expect(parseVoice(defaultVoice).name).toBe('rms')
})

test.each(['zoe', 'SLT', '', 'constructor', '../slt'])(
  'rejects the voice %j and lists the valid ones',
  (name) => {
    expect(() => parseVoice(name)).toThrow(
      `There is no voice "${name}". Use a voice (rms, slt, awb, kal16, kal) or an alias ` +
        '(alloy, ash, ballad, cedar, coral, echo, fable, marin, nova, onyx, sage, shimmer, verse).',
    )
  },
)
