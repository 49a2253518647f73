import { expect, test } from 'vitest'
import { wav } from '../artifacts.js'
import { corpus } from './corpus.js'
import { setStage } from './stage.js'

const spoken = corpus.filter(({ where }) => where.endsWith('recording'))
const endpoints = { transcribe_audio: '/v1/audio/transcriptions', translate_audio: '/v1/audio/translations' }

test('lists both transcription tools among the sources of untrusted speech', () => {
  const heardBy = spoken.map(({ where }) => where)
  expect(new Set(heardBy)).toEqual(new Set(['recording', 'foreign recording', 'refused recording']))
})

test.each(spoken)('$where, $name: uploads the recording, and its text taints the run', async (injection) => {
  const stage = await setStage(injection)
  const { result } = await stage.run('Write down what is said.')
  const endpoint = endpoints[stage.by as keyof typeof endpoints]
  const upload = stage.server.arrived.find(({ path }) => path === endpoint)
  expect(upload?.headers['content-type']).toMatch(/^multipart\/form-data/)
  expect(upload?.files.file?.bytes).toEqual(wav())
  const status = injection.where === 'refused recording' ? 'error' : 'ok'
  expect(result.toolCalls[0]).toMatchObject({ name: stage.by, status })
  expect(result.toolCalls[0]?.content).toContain(injection.text)
  expect(result.state.taintedBy).toBe(stage.by)
})
