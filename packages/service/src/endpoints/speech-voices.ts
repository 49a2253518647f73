import type { Endpoint } from '../http/endpoint.js'
import { loadSpeech } from '../load-speech.js'

/** The voices that can speak, the usual one first; an alias says whose other name it is. */
export const listVoices: Endpoint = async () => {
  const { voiceAliases, voices } = await loadSpeech()
  const own = voices.map(({ name, description, sampleRate }) => ({
    id: name,
    object: 'voice',
    description,
    language: 'en',
    sample_rate: sampleRate,
  }))
  const aliases = Object.entries(voiceAliases).map(([id, alias_of]) => ({ id, object: 'voice', alias_of }))
  return { json: { object: 'list', data: [...own, ...aliases] } }
}
