import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from '../words/artifact.js'
import { CapstanError } from '../words/error.js'
import { joinSignals } from '../words/join-signals.js'
import { orAborted } from '../words/or-aborted.js'
import { memoryArtifacts } from './memory-artifacts.js'
import { settle } from './settle.js'
import type { ToolContext } from './tool-context.js'
import { validate } from './validate.js'

/** Options of a plain call; `context`, as the function sees it, must be given when the function asks for one. */
export type CallOptions<Context = unknown> = CommonCallOptions &
  (unknown extends Context ? { readonly context?: Context } : { readonly context: Context })

/** What every plain call takes, whatever its context. */
export interface CommonCallOptions {
  /** Default: a memory store of this call's own. */
  readonly artifacts?: ArtifactStore
  /** Ends the call at once, with its reason; a function that does not heed it goes on unheard. Default: none. */
  readonly signal?: AbortSignal
}

/** The argument itself: optional unless the function asks for a context. */
export type CallArgument<Context> = unknown extends Context
  ? [options?: CallOptions<Context>]
  : [options: CallOptions<Context>]

/** What of a tool is called. */
interface Callable {
  readonly name: string
  readonly parameters: StandardSchemaV1
  readonly timeoutMs: number | undefined
  readonly execute: ((args: unknown, ctx: ToolContext) => unknown) | undefined
}

/** Calls a tool's function as a run would, without a run: arguments are checked, its deadline holds. */
export async function plainCall(
  { name, parameters, timeoutMs, execute }: Callable,
  input: unknown,
  { context, artifacts = memoryArtifacts(), signal: given }: CallOptions = {},
): Promise<unknown> {
  if (!execute) {
    const message = `"${name}" has no function: its calls are answered by the caller of a run.`
    throw new CapstanError('unsupported', message, { evidence: { tool: name } })
  }
  const checked = await validate(parameters, input)
  if (!checked.ok) {
    const message = `Invalid arguments for "${name}": ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_arguments', message, { evidence: { tool: name, issues: checked.issues } })
  }
  const late = new AbortController()
  const { signal, release } = joinSignals([given, late.signal])
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => late.abort(tooLate(name, timeoutMs)), timeoutMs)
  const id = `call_${crypto.randomUUID()}`
  const ids = { runId: id, callId: id, idempotencyKey: id, step: 0 }
  try {
    signal.throwIfAborted()
    const work = execute(checked.value, {
      context,
      signal,
      artifacts,
      progress: ignore,
      spend: ignore,
      ...ids,
    })
    return await orAborted(signal, settle(work, ignore, signal))
  } finally {
    clearTimeout(timer)
    release()
  }
}

function tooLate(name: string, timeoutMs: number): CapstanError {
  const message = `"${name}" did not finish within ${timeoutMs} ms. It may have taken effect.`
  return new CapstanError('timeout', message, { evidence: { tool: name, timeoutMs } })
}

function ignore(): void {}
