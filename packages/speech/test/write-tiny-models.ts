// Models of a few kilobytes that the engine loads like large ones. What they say is written in them.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Form, type Network, type Step, toOnnx } from './onnx-file.js'

/** The voices: samples for a letter at normal speed, samples per second, speakers. */
export const tinyVoice = { letter: 800, sampleRate: 16_000, speakers: 2 } as const

/**
 * Writes a VITS voice: each letter is a tone of 0.05 s, higher for later letters, and the second speaker is
 * half as loud. `facts` are added to those of the model.
 */
export async function writeTinyVoice(folder: string, facts: Network['metadata'] = {}): Promise<void> {
  const metadata = {
    sample_rate: tinyVoice.sampleRate,
    n_speakers: tinyVoice.speakers,
    language: 'English',
    comment: 'coqui',
    frontend: 'characters',
    use_eos_bos: 0,
    ...facts,
  }
  const network = toOnnx({
    metadata,
    inputs: {
      input: ['int64', 1, 'letters'],
      input_lengths: ['int64', 1],
      scales: ['float', 3],
      sid: ['int64', 1],
    },
    constants: { ...toneConstants(4), second: BigInt64Array.of(1n), third: BigInt64Array.of(2n) },
    steps: [
      // The second scale is the length of a letter.
      step('Slice', ['scales', 'second', 'third'], 'stretch'),
      step('Add', ['sid', 'second'], 'divisor'),
      step('Cast', ['divisor'], 'softness', { to: 1 }),
      ...toneSteps('input'),
      step('Reshape', ['tones', 'row'], 'output'),
    ],
    outputs: { output: ['float', 1, 1, 'samples'] },
  })
  await writeFolder(folder, { 'tiny.onnx': network, 'tokens.txt': toTokens(letters) })
}

/** Writes a Kokoro voice with two Chinese words, 你好 and 世界. Its speakers differ as above. */
export async function writeTinyKokoro(folder: string): Promise<void> {
  const network = toOnnx({
    metadata: {
      model_type: 'kokoro',
      sample_rate: tinyVoice.sampleRate,
      n_speakers: tinyVoice.speakers,
      version: 2,
      has_espeak: 1,
      style_dim: '510,1,1',
      speaker_names: 'zf_one,zm_two',
    },
    inputs: { tokens: ['int64', 1, 'letters'], style: ['float', 1, 1], speed: ['float', 1] },
    constants: { ...toneConstants(4), unit: Float32Array.of(1) },
    steps: [
      step('Div', ['unit', 'speed'], 'stretch'),
      step('Identity', ['style'], 'softness'),
      ...toneSteps('tokens'),
      step('Reshape', ['tones', 'flat'], 'audio'),
    ],
    outputs: { audio: ['float', 'samples'] },
  })
  const styles = Float32Array.from({ length: 2 * 510 }, (_, index) => (index < 510 ? 1 : 2))
  await writeFolder(folder, {
    'model.onnx': network,
    'voices.bin': Buffer.from(styles.buffer),
    'tokens.txt': toTokens(letters),
    'lexicon-zh.txt': '你好 n i h a o\n世界 s h i j i e\n',
    ...emptyEspeakData(),
  })
}

const letters = [...'$ abcdefghijklmnopqrstuvwxyz.']

function toneConstants(slowest: number): NonNullable<Network['constants']> {
  const { letter, sampleRate } = tinyVoice
  return {
    time: Float32Array.from({ length: slowest * letter }, (_, at) => (at / sampleRate) * 2 * Math.PI * 40),
    samples: Float32Array.of(letter),
    zero: BigInt64Array.of(0n),
    column: BigInt64Array.of(-1n, 1n),
    row: BigInt64Array.of(1n, 1n, -1n),
    flat: BigInt64Array.of(-1n),
    loud: Float32Array.of(0.5),
  }
}

/** From the tensors `stretch` and `softness` to `tones`, a row for each letter. */
function toneSteps(input: string): Step[] {
  return [
    step('Mul', ['samples', 'stretch'], 'length'),
    step('Cast', ['length'], 'count', { to: 7 }),
    step('Slice', ['time', 'zero', 'count'], 'moments'),
    step('Reshape', [input, 'column'], 'rows'),
    step('Cast', ['rows'], 'pitches', { to: 1 }),
    step('Mul', ['pitches', 'moments'], 'phases'),
    step('Sin', ['phases'], 'waves'),
    step('Div', ['loud', 'softness'], 'loudness'),
    step('Mul', ['waves', 'loudness'], 'tones'),
  ]
}

/** Data of eSpeak NG with its version, its rate and one empty table: enough to start, for words of a list. */
function emptyEspeakData(): Record<string, Buffer> {
  const header = Buffer.alloc(8)
  header.writeUInt32LE(0x014801)
  header.writeUInt32LE(22_050, 4)
  const table = Buffer.alloc(4 + 4 + 32)
  table[0] = 1
  table.write('base', 8)
  return {
    'espeak-ng-data/phondata': header,
    'espeak-ng-data/phontab': table,
    'espeak-ng-data/phonindex': Buffer.alloc(8),
    'espeak-ng-data/intonations': Buffer.alloc(0),
  }
}

const whisperTokens = [' hello', ' world', ' bonjour', ' monde']
const [eot, sot, en, fr, transcribe, translate, noSpeech, noTimestamps, firstTime] = [
  4, 5, 6, 7, 8, 9, 10, 11, 12,
]
const timeCount = 1501
const whisperVocabulary = firstTime + timeCount

/** Writes a multilingual Whisper that hears French "bonjour monde" from 0 to 0.5 s in every sound. */
export async function writeTinyWhisper(folder: string, facts: Network['metadata'] = {}): Promise<void> {
  const encoder = toOnnx({
    metadata: {
      model_type: 'whisper-tiny',
      n_mels: 80,
      n_text_layer: 1,
      n_text_ctx: 448,
      n_text_state: 1,
      n_vocab: whisperVocabulary,
      sot,
      eot,
      blank_id: eot,
      translate,
      transcribe,
      is_multilingual: 1,
      no_timestamps: noTimestamps,
      no_speech: noSpeech,
      sot_sequence: `${sot},${en},${transcribe}`,
      all_language_tokens: `${en},${fr}`,
      all_language_codes: 'en,fr',
      ...facts,
    },
    inputs: { mel: ['float', 1, 80, 'frames'] },
    constants: { shape: BigInt64Array.of(1n, 1n, -1n, 1n) },
    steps: [
      step('Reshape', ['mel', 'shape'], 'n_layer_cross_k'),
      step('Identity', ['n_layer_cross_k'], 'n_layer_cross_v'),
    ],
    outputs: { n_layer_cross_k: crossForm, n_layer_cross_v: crossForm },
  })
  await writeFolder(folder, {
    'tiny-encoder.onnx': encoder,
    'tiny-decoder.onnx': whisperDecoder(),
    'tiny-tokens.txt': whisperTokens.map((text, id) => `${toBase64(text)} ${id}\n`).join(''),
  })
}

const crossForm: Form = ['float', 1, 1, 'positions', 1]
const cacheForm: Form = ['float', 1, 1, 'context', 1]

function whisperDecoder(): Buffer {
  const next = new Map([
    [sot, fr],
    [transcribe, firstTime],
    [firstTime, 2],
    [2, 3],
    [3, firstTime + 25],
    [translate, firstTime + 1],
    [firstTime + 1, 0],
    [0, 1],
    [1, firstTime + 26],
  ])
  return toOnnx({
    inputs: {
      tokens: ['int64', 1, 'count'],
      in_n_layer_self_k_cache: cacheForm,
      in_n_layer_self_v_cache: cacheForm,
      n_layer_cross_k: crossForm,
      n_layer_cross_v: crossForm,
      offset: ['int64', 1],
    },
    constants: successorConstants(whisperVocabulary, (token) => next.get(token) ?? eot),
    steps: [
      ...successorSteps('tokens'),
      step('Identity', ['in_n_layer_self_k_cache'], 'out_n_layer_self_k_cache'),
      step('Identity', ['in_n_layer_self_v_cache'], 'out_n_layer_self_v_cache'),
    ],
    outputs: {
      logits: ['float', 1, 'count', whisperVocabulary],
      out_n_layer_self_k_cache: cacheForm,
      out_n_layer_self_v_cache: cacheForm,
    },
  })
}

const moonshineTokens = ['<unk>', '<s>', '</s>', '▁good', '▁morning']
const soundForm: Form = ['float', 1, 'samples']
const hiddenForm: Form = ['float', 1, 'positions', 1]
const stateForm: Form = ['float', 1, 1, 'length', 1]
const moonshineLogits: Form = ['float', 1, 1, moonshineTokens.length]

/** Writes a Moonshine of four files that hears "good morning" in every sound. */
export async function writeTinyMoonshine(folder: string): Promise<void> {
  const inputs: Network['inputs'] = {
    tokens: ['int32', 1, 1],
    encoder_out: hiddenForm,
    seq_len: ['int32', 1],
  }
  const decoder = {
    inputs,
    constants: moonshineConstants(),
    outputs: { logits: moonshineLogits, state: hiddenForm },
  }
  const first = [...successorSteps('tokens'), step('Identity', ['encoder_out'], 'state')]
  const next = [...successorSteps('tokens'), step('Identity', ['last'], 'state')]
  await writeFolder(folder, {
    'preprocess.onnx': toHidden(),
    'encode.onnx': toOnnx({
      inputs: { features: hiddenForm, features_len: ['int32', 1] },
      steps: [step('Identity', ['features'], 'encoder_out')],
      outputs: { encoder_out: hiddenForm },
    }),
    'uncached_decode.onnx': toOnnx({ ...decoder, steps: first }),
    'cached_decode.onnx': toOnnx({ ...decoder, inputs: { ...inputs, last: hiddenForm }, steps: next }),
    'tokens.txt': toTokens(moonshineTokens),
  })
}

/** Writes a Moonshine of two files that hears "good morning" in every sound. */
export async function writeTinyMoonshine2(folder: string): Promise<void> {
  const roles = ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']
  const [past, present] = ['past_key_values', 'present'].map((kind) =>
    roles.map((role) => `${kind}.0.${role}`),
  )
  const toForms = (names: readonly string[] = []) =>
    Object.fromEntries(names.map((name) => [name, stateForm]))
  const decoder = toOnnx({
    inputs: {
      input_ids: ['int64', 1, 1],
      encoder_hidden_states: hiddenForm,
      ...toForms(past),
      use_cache_branch: ['bool', 1],
    },
    constants: moonshineConstants(),
    steps: [
      ...successorSteps('input_ids'),
      ...roles.map((role) => step('Identity', [`past_key_values.0.${role}`], `present.0.${role}`)),
    ],
    outputs: { logits: moonshineLogits, ...toForms(present) },
  })
  await writeFolder(folder, {
    'encoder_model.onnx': toHidden(),
    'decoder_model_merged.onnx': decoder,
    'tokens.txt': moonshineTokens.map((text, id) => `${toBase64(text)} ${id}\n`).join(''),
  })
}

function moonshineConstants(): NonNullable<Network['constants']> {
  const next = [2, 3, 2, 4, 2]
  return successorConstants(moonshineTokens.length, (token) => next[token] ?? 2)
}

/** A network that takes each 384th sample of a sound. */
function toHidden(): Buffer {
  return toOnnx({
    inputs: { sound: soundForm },
    constants: {
      from: BigInt64Array.of(0n),
      to: BigInt64Array.of(2n ** 40n),
      axis: BigInt64Array.of(1n),
      stride: BigInt64Array.of(384n),
      shape: BigInt64Array.of(1n, -1n, 1n),
    },
    steps: [
      step('Slice', ['sound', 'from', 'to', 'axis', 'stride'], 'few'),
      step('Reshape', ['few', 'shape'], 'hidden'),
    ],
    outputs: { hidden: hiddenForm },
  })
}

/** The constants of a network that always says the same token after another one. */
function successorConstants(
  count: number,
  next: (token: number) => number,
): Record<string, BigInt64Array | Float32Array> {
  return {
    next: BigInt64Array.from({ length: count }, (_, token) => BigInt(next(token))),
    depth: BigInt64Array.of(BigInt(count)),
    scores: Float32Array.of(0, 50),
  }
}

function successorSteps(tokens: string): Step[] {
  return [
    step('Gather', ['next', tokens], 'following'),
    step('OneHot', ['following', 'depth', 'scores'], 'logits'),
  ]
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function toTokens(symbols: readonly string[]): string {
  return symbols.map((symbol, id) => `${symbol} ${id}\n`).join('')
}

function step(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Step['attributes'] = {},
): Step {
  return { operator, inputs, outputs: [output], attributes }
}

async function writeFolder(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}
