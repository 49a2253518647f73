import type { StandardSchemaV1 } from '@standard-schema/spec'
import { chain } from '../async.js'
import { CapstanError } from '../errors.js'
import { getOwn, onceFor } from '../json.js'

/** The validated value, or the issues. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/**
 * Validates a value, synchronously unless the schema is asynchronous. Each issue is one line:
 * `path: message (given: value)`.
 */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  return chain<Outcome, Checked>(outcomeOf(schema, value), (outcome) =>
    outcome.issues
      ? { ok: false, issues: outcome.issues.map((issue) => toLine(issue, value)) }
      : { ok: true, value: outcome.value },
  )
}

type Outcome = StandardSchemaV1.Result<unknown>

/**
 * Calls a schema's own validation. Zod first validates synchronously and drops the promise of an asynchronous
 * refinement, so a zod schema that may have one is validated asynchronously from the start.
 */
export function outcomeOf(schema: StandardSchemaV1, value: unknown): Outcome | Promise<Outcome> {
  const standard = schema['~standard']
  const { safeParseAsync } = schema as Partial<AsyncZod>
  if (standard.vendor !== 'zod' || !safeParseAsync || !mayBeAsync(schema)) return standard.validate(value)
  return safeParseAsync
    .call(schema, value)
    .then(({ success, data, error }) => (success ? { value: data } : { issues: error?.issues ?? [] }))
}

/** The asynchronous validation of zod 3, zod 4 and zod mini. */
interface AsyncZod {
  safeParseAsync(value: unknown): Promise<{
    readonly success: boolean
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] }
  }>
}

const mayBeAsync = onceFor((schema: object) => hasUserCode(schema, new Set()))

/** Whether a zod schema contains code of the user that may return a promise: a refinement or a transform. */
function hasUserCode(part: unknown, seen: Set<unknown>): boolean {
  if (typeof part !== 'object' || part === null || seen.has(part)) return false
  // A getter may create a new schema each time, without end.
  if (seen.add(part).size > maxParts) return true
  const { _zod, _def } = part as { readonly _zod?: { readonly def: LooseDef }; readonly _def?: LooseDef }
  const def = _zod?.def ?? _def
  if (!def) return Object.values(part).some((inner) => hasUserCode(inner, seen))
  const { type, typeName, check, getter, shape } = def
  if (check === 'custom' || typeof def.transform === 'function') return true
  if (/^(custom|promise|transform|ZodEffects|ZodPromise)$/.test(String(typeName ?? type))) return true
  const inner = [getter, shape].map((given) => (typeof given === 'function' ? given() : given))
  return [...inner, ...schemaFields.map((field) => def[field])].some((one) => hasUserCode(one, seen))
}

type LooseDef = Readonly<Record<string, unknown>>

const maxParts = 10_000

/** Fields of a zod definition that contain schemas. In zod 3 the `type` of an array is one. */
const schemaFields =
  'catchall checks element in innerType items keyType left options out rest right schema type valueType'.split(
    ' ',
  )

function toLine({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  if (keys.length === 0) return message
  const json = JSON.stringify(keys.reduce(innerOf, value))
  const given = json === undefined ? 'nothing' : json.length > 80 ? `${json.slice(0, 77)}...` : json
  return `${keys.join('.')}: ${message} (given: ${given})`
}

function innerOf(value: unknown, key: string): unknown {
  return Array.isArray(value) ? value[Number(key)] : getOwn(value, key)
}

/** What the function of a tool needs to yield progress, and to end at an abort. */
interface Progressing {
  readonly signal: AbortSignal
  progress(value: unknown): void
}

/** Returns a function whose result is checked against a schema. */
export function withOutput<Context extends Progressing>(
  name: string,
  execute: (args: never, ctx: Context) => unknown,
  schema: StandardSchemaV1,
): (args: unknown, ctx: Context) => Promise<unknown> {
  return async (args, ctx) => {
    const result = await settle(execute(args as never, ctx), ctx.progress, ctx.signal)
    const checked = await validate(schema, result)
    if (checked.ok) return checked.value
    const message = `"${name}" ran, but its result does not match its output: ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_tool', message, { evidence: { tool: name } })
  }
}

/**
 * Returns the result of a tool's function, to be awaited. A generator runs to its end, and its yields are progress.
 * After an abort it ends at its next yield: otherwise one that polls would run forever.
 */
export function settle(returned: unknown, progress: (value: unknown) => void, signal: AbortSignal): unknown {
  return isGenerator(returned) ? settleGenerator(returned, progress, signal) : returned
}

async function settleGenerator(
  generator: AsyncGenerator | Generator,
  progress: (value: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done) return value
    progress(value)
    if (signal.aborted) {
      await generator.return(undefined)
      throw signal.reason
    }
  }
}

/** Whether a value is a generator, async or not. An array iterator, which has no `throw`, is a plain value. */
function isGenerator(value: unknown): value is AsyncGenerator | Generator {
  if (typeof value !== 'object' || value === null || !('next' in value && 'throw' in value)) return false
  return Symbol.asyncIterator in value || Symbol.iterator in value
}
