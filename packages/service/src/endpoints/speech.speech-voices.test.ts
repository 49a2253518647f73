import { voiceAliases, voices } from '@capstan/speech'
import { expect, test } from 'vitest'
import { voicesEndpoint } from './speech.js'

test('lists every voice and alias, the default voice first', async () => {
  const reply = await voicesEndpoint()({
    fields: {},
    files: {},
    origin: '',
    headers: {},
    isLocal: true,
    signal: new AbortController().signal,
  })
  if (!('json' in reply)) throw new Error('The list is JSON.')
  const { data } = reply.json as { data: { id: string }[] }
  const [first, ...others] = data
  expect(first).toEqual({
    id: 'rms',
    object: 'voice',
    description: 'American man',
    language: 'en',
    sample_rate: 16_000,
  })
  expect(others).toContainEqual({ id: 'alloy', object: 'voice', alias_of: 'rms' })
  const names = [...voices.map(({ name }) => name), ...Object.keys(voiceAliases)]
  expect(data.map(({ id }) => id)).toEqual(names)
})
