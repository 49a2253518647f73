export type { GatherOptions } from './decode/collect-samples.js'
export { audioKinds, decodeAudio } from './decode/decode-audio.js'
export {
  type AudioFormat,
  audioFormats,
  createEncoder,
  encode,
  parseFormat,
  toMediaType,
} from './encode/create-encoder.js'
export type { Encoder } from './encode/encoder.js'
export { type Phrase, type PhraseLanguage, phraseBook } from './listen/phrases/phrase-book.js'
export { type TranslateOptions, type Translation, translate } from './listen/phrases/translate.js'
export type { Segment, SpokenWord } from './listen/transcribe.js'
export { type TranscribeOptions, type Transcript, transcribe } from './listen/transcribe.js'
export { type HearOptions, loadRecognizer, type ModelRecognizer } from './models/load-recognizer.js'
export {
  loadVoice,
  type ModelSpeakOptions,
  type ModelSpeakStreamOptions,
  type ModelVoice,
} from './models/load-voice.js'
export type { HeardSegment, Hearing } from './models/messages.js'
export type { Locale } from './normalize-text.js'
export { SpeechError, type SpeechErrorCode } from './speech-error.js'
export type { SynthesizeOptions } from './synthesize.js'
export { type SpeakStreamOptions, speakStream, synthesize } from './synthesize.js'
export { defaultVoice, parseVoice, type Voice, voiceAliases, voices } from './voices.js'
export { encodePcm, encodeWav, type Sound } from './wav.js'
