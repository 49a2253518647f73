import { writeFile } from 'node:fs/promises'

const shape = { vocab: 51_865, audioContext: 1500, textContext: 16, state: 64, heads: 1, layers: 4, mels: 80 }
const [f32, f16] = [0, 1]

/** Writes a Whisper model of 9 MB with small random weights: it loads and runs, without knowledge. */
export async function writeRandomWhisper(path: string): Promise<void> {
  await writeFile(path, Buffer.concat([...toHead(), ...toTensors()]))
}

function toHead(): Buffer[] {
  const { vocab, audioContext, textContext, state, heads, layers, mels } = shape
  const sizes = [vocab, audioContext, state, heads, layers, textContext, state, heads, layers, mels, f16]
  const filters = toFloats(mels * 201, () => 0.01)
  const words = Array.from({ length: 50_257 }, (_, index) => {
    // The engine looks up a single space, and aborts when it is missing.
    const word = Buffer.from(index === 0 ? ' ' : ` ${index.toString(36)}`)
    return Buffer.concat([toInts(word.length), word])
  })
  return [toInts(0x67676d6c, ...sizes, mels, 201), filters, toInts(words.length), ...words]
}

function* toTensors(): Generator<Buffer> {
  const { vocab, audioContext, textContext, state, layers, mels } = shape
  yield* tensor('encoder.positional_embedding', f32, [state, audioContext])
  yield* tensor('encoder.conv1.weight', f16, [3, mels, state])
  yield* tensor('encoder.conv1.bias', f32, [1, state])
  yield* tensor('encoder.conv2.weight', f16, [3, state, state])
  yield* tensor('encoder.conv2.bias', f32, [1, state])
  yield* norm('encoder.ln_post')
  for (let layer = 0; layer < layers; layer += 1) yield* block(`encoder.blocks.${layer}`, ['attn'])
  yield* tensor('decoder.positional_embedding', f32, [state, textContext])
  yield* tensor('decoder.token_embedding.weight', f16, [state, vocab])
  yield* norm('decoder.ln')
  for (let layer = 0; layer < layers; layer += 1)
    yield* block(`decoder.blocks.${layer}`, ['attn', 'cross_attn'])
}

function* block(name: string, attentions: readonly string[]): Generator<Buffer> {
  const { state } = shape
  for (const attention of attentions) {
    yield* norm(`${name}.${attention}_ln`)
    for (const part of ['query', 'key', 'value', 'out']) {
      yield* tensor(`${name}.${attention}.${part}.weight`, f16, [state, state])
      if (part !== 'key') yield* tensor(`${name}.${attention}.${part}.bias`, f32, [state])
    }
  }
  yield* norm(`${name}.mlp_ln`)
  yield* tensor(`${name}.mlp.0.weight`, f16, [state, 4 * state])
  yield* tensor(`${name}.mlp.0.bias`, f32, [4 * state])
  yield* tensor(`${name}.mlp.2.weight`, f16, [4 * state, state])
  yield* tensor(`${name}.mlp.2.bias`, f32, [state])
}

function* norm(name: string): Generator<Buffer> {
  yield* tensor(`${name}.weight`, f32, [shape.state])
  yield* tensor(`${name}.bias`, f32, [shape.state])
}

function* tensor(name: string, type: number, sizes: readonly number[]): Generator<Buffer> {
  const count = sizes.reduce((product, size) => product * size, 1)
  yield Buffer.concat([toInts(sizes.length, name.length, type, ...sizes), Buffer.from(name)])
  yield type === f16 ? toHalves(count) : toFloats(count, () => random() / 10)
}

let seed = 1

/** From -1 to 1, the same numbers each time. */
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
  return seed / 2 ** 31
}

/** 16-bit numbers from about -0.12 to 0.12: any sign and fraction below one of the small exponents. */
function toHalves(count: number): Buffer {
  const halves = Uint16Array.from({ length: count }, () => {
    const bits = Math.floor((random() + 1) * 2 ** 15)
    return (bits & 0x83ff) | ((9 + (bits % 3)) << 10)
  })
  return Buffer.from(halves.buffer)
}

function toFloats(count: number, next: () => number): Buffer {
  return Buffer.from(Float32Array.from({ length: count }, next).buffer)
}

function toInts(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer)
}
