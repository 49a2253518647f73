import type { StandardSchemaV1 } from '@standard-schema/spec'
import { CapstanError } from '../errors.js'
import { validate } from './validate.js'

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
