export type { ReadableArtifact } from '@capstan/core'
export type { MediaClient, MediaClientOptions } from './client/client.js'
export { type DialectOption, dialects, type ImageLimits, type MediaDialect } from './client/dialect.js'
export type { TimedText } from './client/transcripts.js'
export { fitPicture } from './images/convert.js'
export type { Allow } from './inputs/allow.js'
export type { MediaInput, Widened as WidenedInputs, WithInputs } from './inputs/program-input.js'
export type { AudioOptions, MediaModels, MediaOptions, SpeechOptions } from './options.js'
export type {
  ChosenFields,
  EditFields,
  ImageFields,
  OtherFields,
  RequestFields,
  SpeechFields,
  TranscriptionFields,
  TranslationFields,
} from './request-fields.js'
export { type EditResult, editImage } from './tools/edit-image.js'
export { generateImage } from './tools/generate-image.js'

export { mediaTools } from './tools/media-tools.js'

export { speak } from './tools/speak.js'
export { type Transcription, transcribeAudio, translateAudio } from './tools/transcribe-audio.js'

export { varyImage } from './tools/vary-image.js'
