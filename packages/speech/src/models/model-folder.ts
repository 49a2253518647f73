import { readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SpeechError } from '../speech-error.js'
import { type Facts, readFacts } from './onnx-facts.js'

/** The files of a model by role. The values are names inside the model's folder. */
export type ModelFiles = Readonly<Record<string, string>>

/** A voice in a folder. Its files have been checked, but not loaded. */
export interface VoiceModel {
  readonly kind: 'vits' | 'kokoro'
  /** The path of the folder, without symbolic links. */
  readonly folder: string
  readonly files: ModelFiles
  readonly speakers: readonly Speaker[]
  /** Samples per second. */
  readonly sampleRate: number
}

export interface Speaker {
  /** The speaker's name. If the model does not name its speakers, this is the speaker's number, counted from 0. */
  readonly name: string
  /** A code such as `en-us`. Undefined if the model does not declare its language. */
  readonly language: string | undefined
}

/** A recogniser in a folder. Its files have been checked, but not loaded. */
export interface RecognizerModel {
  readonly kind: 'whisper' | 'moonshine'
  /** The path of the folder, without symbolic links. */
  readonly folder: string
  readonly files: ModelFiles
  /** The codes of the supported languages. Undefined if the model does not declare them. */
  readonly languages: readonly string[] | undefined
}

/** Finds the voice in a folder. Rejects with `invalid_model` if a file is missing or damaged. */
export async function findVoice(path: string): Promise<VoiceModel> {
  const folder = await openFolder(path)
  const [model, ...others] = folder.names.filter((name) => name.endsWith('.onnx'))
  if (model === undefined || others.length > 0) {
    const found = model === undefined ? 'no file' : `several files (${[model, ...others].join(', ')})`
    throw invalidFolder(path, `it has ${found} ending in .onnx. A folder must contain one voice`)
  }
  const facts = await readFacts(await folder.resolve(model))
  const [sampleRate, count] = [Number(facts.sample_rate), Number(facts.n_speakers)]
  if (!(sampleRate >= 8000 && sampleRate <= 48_000) || !(count >= 0 && count < 10_000)) {
    const reason = `${model} does not contain its sample rate and number of speakers`
    throw invalidFolder(path, `${reason}. Use a voice that is prepared for sherpa-onnx`)
  }
  const kind = facts.style_dim === undefined ? 'vits' : 'kokoro'
  const files = await folder.resolveAll({
    model,
    tokens: 'tokens.txt',
    ...(kind === 'kokoro' && { voices: 'voices.bin' }),
    ...pronunciationFiles(folder, kind, facts),
  })
  return { kind, folder: folder.path, files, speakers: toSpeakers(facts, count), sampleRate }
}

const espeakFiles = ['phontab', 'phonindex', 'phondata', 'intonations']

/**
 * Returns the files that a voice needs for pronunciation. A voice reads letters, words in a list, or the phones that
 * eSpeak NG derives from its data.
 */
function pronunciationFiles({ names }: ModelFolder, kind: VoiceModel['kind'], facts: Facts): ModelFiles {
  if (kind === 'vits' && facts.frontend === 'characters') return {}
  const lists = ['lexicon-us-en.txt', 'lexicon-zh.txt', 'lexicon.txt'].filter((name) => names.includes(name))
  // Kokoro's rules write numbers in Chinese, regardless of the language.
  const rules = kind === 'vits' ? names.filter((name) => name.endsWith('.fst')) : []
  const needsData = kind === 'kokoro' || lists.length === 0 || names.includes('espeak-ng-data')
  return Object.fromEntries([
    ...lists.map((name, index) => [`lexicon${index}`, name]),
    ...rules.map((name, index) => [`rule${index}`, name]),
    ...(needsData ? espeakFiles.map((name) => [name, `espeak-ng-data/${name}`]) : []),
  ])
}

function toSpeakers(facts: Facts, count: number): Speaker[] {
  const names = (facts.speaker_names ?? '').split(',').map((name) => name.trim())
  if (names.length === count && facts.style_dim !== undefined)
    return names.map((name) => ({ name, language: kokoroLanguages[name[0] ?? ''] }))
  const { language = '', voice = '' } = facts
  const isEnglish = /^en/i.test(language) || /^en/i.test(voice) || facts.style_dim !== undefined
  return Array.from({ length: Math.max(count, 1) }, (_, index) => ({
    name: String(index),
    language: isEnglish ? 'en-us' : undefined,
  }))
}

/**
 * Language codes by the first letter of a Kokoro speaker's name. The codes are names of eSpeak NG voices, of which `en`
 * is British. Chinese does not need a code.
 */
const kokoroLanguages: Readonly<Record<string, string>> = {
  a: 'en-us',
  b: 'en',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  p: 'pt-br',
}

/** Finds the recogniser in a folder. Rejects with `invalid_model` if a file is missing or damaged. */
export async function findRecognizer(path: string): Promise<RecognizerModel> {
  const folder = await openFolder(path)
  const names = moonshineFiles(folder)
  if (names) {
    return {
      kind: 'moonshine',
      folder: folder.path,
      files: await folder.resolveAll(names),
      languages: undefined,
    }
  }
  const files = await folder.resolveAll(whisperFiles(folder, path))
  const facts = await readFacts(join(folder.path, files.encoder ?? ''))
  if (facts.n_text_ctx === undefined || facts.sot_sequence === undefined) {
    const reason = `${files.encoder} is not the encoder of a Whisper model`
    throw invalidFolder(path, `${reason}. Use a model that is prepared for sherpa-onnx`)
  }
  const languages =
    facts.is_multilingual === '1' ? (facts.all_language_codes ?? '').split(',').filter(Boolean) : ['en']
  return { kind: 'whisper', folder: folder.path, files, languages }
}

/**
 * Returns the files of a Moonshine model. Archives use one of two sets of names, and each file may be an 8-bit version.
 */
function moonshineFiles({ names }: ModelFolder): ModelFiles | undefined {
  const pick = (name: string, ...endings: string[]) =>
    endings.map((ending) => name + ending).find((file) => names.includes(file)) ?? name + endings.at(-1)
  if (names.some((name) => name.startsWith('decoder_model_merged'))) {
    return {
      encoder: pick('encoder_model', '.ort', '.onnx'),
      mergedDecoder: pick('decoder_model_merged', '.ort', '.onnx'),
      tokens: 'tokens.txt',
    }
  }
  if (!names.some((name) => /^(un)?cached_decode\./.test(name))) return undefined
  return {
    preprocessor: 'preprocess.onnx',
    encoder: pick('encode', '.int8.onnx', '.onnx'),
    uncachedDecoder: pick('uncached_decode', '.int8.onnx', '.onnx'),
    cachedDecoder: pick('cached_decode', '.int8.onnx', '.onnx'),
    tokens: 'tokens.txt',
  }
}

function whisperFiles({ names }: ModelFolder, path: string): ModelFiles {
  const models = new Set(names.flatMap((name) => /^(.*)-encoder(\.int8)?\.onnx$/.exec(name)?.[1] ?? []))
  const [model, ...others] = models
  if (model === undefined) {
    const expected =
      'NAME-encoder.onnx, NAME-decoder.onnx and NAME-tokens.txt of Whisper, or encode.onnx, cached_decode.onnx, ... of Moonshine'
    throw invalidFolder(path, `it has no recogniser. Expected: ${expected}`)
  }
  if (others.length > 0)
    throw invalidFolder(path, `it has several models (${[...models].join(', ')}). Keep only one`)
  // If a folder contains both sizes, the smaller one is used, because it needs less memory and time.
  const ending = names.includes(`${model}-encoder.int8.onnx`) ? 'int8.onnx' : 'onnx'
  return {
    encoder: `${model}-encoder.${ending}`,
    decoder: `${model}-decoder.${ending}`,
    tokens: `${model}-tokens.txt`,
  }
}

interface ModelFolder {
  /** The path without symbolic links. */
  readonly path: string
  readonly names: readonly string[]
  /** Returns the path of a file that exists inside the folder. */
  readonly resolve: (name: string) => Promise<string>
  /** Checks that all files exist inside the folder. Returns their names. */
  readonly resolveAll: (files: ModelFiles) => Promise<ModelFiles>
}

async function openFolder(path: string): Promise<ModelFolder> {
  const folder = await realpath(path).catch(() => path)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOTDIR' ? 'it is a file. Pass the folder that contains it' : error.message
    throw invalidFolder(path, reason)
  })
  const resolve = async (name: string): Promise<string> => {
    const file = await realpath(join(folder, name)).catch(() => {
      throw invalidFolder(path, `${name} is missing. Unpack the entire archive`)
    })
    if (isInside(folder, file)) return file
    throw invalidFolder(path, `${name} is a link to a file outside the folder. Copy the file into the folder`)
  }
  return {
    path: folder,
    names: names.toSorted(),
    resolve,
    async resolveAll(files) {
      for (const name of Object.values(files)) await resolve(name)
      return files
    },
  }
}

/** Whether a path is inside a folder. Both must be free of symbolic links. */
export function isInside(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function invalidFolder(path: string, reason: string): SpeechError {
  return new SpeechError('invalid_model', `The model folder ${path} cannot be used: ${reason}.`)
}
