export { SpeechError, type SpeechErrorCode } from './speech-error.js'
export { type SynthesizeOptions, synthesize } from './synthesize.js'
export { defaultVoice, type Voice, voiceAliases, voices } from './voices.js'
export { encodePcm, encodeWav, type Sound } from './wav.js'
