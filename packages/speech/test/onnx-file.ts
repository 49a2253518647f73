// Writes networks in ONNX format, by its public schema: enough for the small ones of tests.

/** A network with its inputs, its constants, its steps and its outputs. */
export interface Network {
  readonly inputs: Readonly<Record<string, Form>>
  readonly constants?: Readonly<Record<string, Constant>>
  readonly steps: readonly Step[]
  readonly outputs: Readonly<Record<string, Form>>
  /** Facts about the model, which engines read by name. */
  readonly metadata?: Readonly<Record<string, string | number>>
}

/** The type of a tensor and its sizes. A name stands for a size that is known at run time. */
export type Form = readonly [type: keyof typeof types, ...sizes: (number | string)[]]

type Constant = Float32Array | BigInt64Array | Int32Array

export interface Step {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Integers. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>
}

/** Returns the bytes of an ONNX file. */
export function toOnnx({ inputs, constants = {}, steps, outputs, metadata = {} }: Network): Buffer {
  const graph = [
    ...steps.map((step) => field(1, toNode(step))),
    field(2, 'graph'),
    ...Object.entries(constants).map(([name, values]) => field(5, toTensor(name, values))),
    ...Object.entries(inputs).map(([name, form]) => field(11, toValue(name, form))),
    ...Object.entries(outputs).map(([name, form]) => field(12, toValue(name, form))),
  ]
  const facts = Object.entries(metadata).map(([key, value]) =>
    field(14, [field(1, key), field(2, String(value))]),
  )
  return Buffer.concat([field(1, 8), field(7, graph), field(8, [field(1, ''), field(2, 17)]), ...facts])
}

const types = { float: 1, int32: 6, int64: 7, bool: 9 } as const

function toNode({ operator, inputs, outputs, attributes = {} }: Step): Buffer[] {
  return [
    ...inputs.map((name) => field(1, name)),
    ...outputs.map((name) => field(2, name)),
    field(4, operator),
    ...Object.entries(attributes).map(([name, value]) => field(5, toAttribute(name, value))),
  ]
}

function toAttribute(name: string, value: number | readonly number[]): Buffer[] {
  if (typeof value === 'number') return [field(1, name), field(3, value), field(20, 2)]
  return [field(1, name), ...value.map((one) => field(8, one)), field(20, 7)]
}

function toTensor(name: string, values: Constant): Buffer[] {
  const type = values instanceof Float32Array ? 'float' : values instanceof Int32Array ? 'int32' : 'int64'
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  return [field(1, values.length), field(2, types[type]), field(8, name), field(9, bytes)]
}

function toValue(name: string, [type, ...sizes]: Form): Buffer[] {
  const shape = sizes.map((size) => field(1, [field(typeof size === 'number' ? 1 : 2, size)]))
  return [field(1, name), field(2, [field(1, [field(1, types[type]), field(2, shape)])])]
}

/** A field of a protocol buffer: an integer, or bytes with their length. */
function field(number: number, value: number | string | Buffer | readonly Buffer[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([toVarint(number << 3), toVarint(value)])
  const isParts = typeof value !== 'string' && !Buffer.isBuffer(value)
  const bytes = isParts ? Buffer.concat(value) : Buffer.from(value as string)
  return Buffer.concat([toVarint((number << 3) | 2), toVarint(bytes.length), bytes])
}

function toVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Buffer.from(bytes)
}
